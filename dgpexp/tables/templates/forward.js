// The forward pass of the model in this page: the arithmetic of `dgpexp predict`, with the same draws.
const forward = (() => {
  const buffer = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const doubles = (text) => new Float64Array(buffer(text)), singles = (text) => new Float32Array(buffer(text));
  const profiles = { // g(r²) of k = variance · g
    rbf: (r2) => Math.exp(-0.5 * r2),
    matern32: (r2) => { const r = Math.sqrt(3 * r2); return (1 + r) * Math.exp(-r); },
    matern52: (r2) => { const r = Math.sqrt(5 * r2); return (1 + r + r * r / 3) * Math.exp(-r); },
  };

  // ---- a layer: units that share the inducing inputs Z [M, Q]

  class Part {
    constructor(p) {
      Object.assign(this, p, { z: doubles(p.z), mean: doubles(p.mean), excess: singles(p.excess) });
      this.weights = p.weights && doubles(p.weights);
      this.inputs = p.lengthscales.length;
      this.points = this.z.length / this.inputs;
      this.z.forEach((value, i) => { this.z[i] = value / p.lengthscales[i % this.inputs]; });
      this.factor = cholesky(this.points, (i, j) => this.kernelAt(this.row(i), j) + (i === j ? p.jitter : 0));
    }
    row(i) { return this.z.subarray(i * this.inputs, (i + 1) * this.inputs); }
    kernelAt(scaled, j) {
      let r2 = 0;
      for (let q = 0, at = j * this.inputs; q < this.inputs; q++) r2 += (scaled[q] - this.z[at + q]) ** 2;
      return this.variance * profiles[this.kernel](r2);
    }
    // Means and variances of all units at h [Q]: A m and k + A (Σ - I) Aᵀ with A = k(h, Z) L⁻ᵀ.
    marginals(h) {
      const m = this.points, scaled = h.map((value, q) => value / this.lengthscales[q]);
      const a = solved(this.factor, m, Float64Array.from({ length: m }, (_, j) => this.kernelAt(scaled, j)));
      const means = [], variances = [];
      for (let d = 0, e = 0; d < this.units; d++) {
        let mean = 0, form = 0;
        for (let i = 0; i < m; i++) {
          let below = 0;
          for (let j = 0; j < i; j++) below += this.excess[e++] * a[j];
          form += a[i] * (2 * below + this.excess[e++] * a[i]);
          mean += a[i] * this.mean[d * m + i];
        }
        if (this.weights) for (let q = 0; q < this.inputs; q++) mean += h[q] * this.weights[q * this.units + d];
        means.push(mean);
        variances.push(Math.max(this.variance + form, 1e-12) + this.noise);
      }
      return [means, variances];
    }
  }

  function cholesky(n, entry) { // L, row by row: [n (n + 1) / 2]
    const l = new Float64Array(n * (n + 1) / 2);
    for (let i = 0, at = 0; i < n; at += ++i) {
      for (let j = 0, other = 0; j <= i; other += ++j) {
        let sum = entry(i, j);
        for (let k = 0; k < j; k++) sum -= l[at + k] * l[other + k];
        l[at + j] = i === j ? Math.sqrt(sum) : sum / l[other + j];
      }
    }
    return l;
  }
  function solved(l, n, b) { // L⁻¹ b, in the place of b
    for (let i = 0, at = 0; i < n; i++) {
      let sum = b[i];
      for (let k = 0; k < i; k++) sum -= l[at++] * b[k];
      b[i] = sum / l[at++];
    }
    return b;
  }

  // ---- members: what each says at scaled inputs, [weight, mean, deviation] or probabilities of classes

  class Deep {
    constructor(about) {
      Object.assign(this, about);
      this.layers = about.layers.map((parts) => parts.map((part) => new Part(part)));
      this.draws = about.draws.map(doubles);
    }
    marginals(layer, h) {
      const each = this.layers[layer].map((part) => part.marginals(h));
      return each.length === 1 ? each[0] : [each.flatMap((e) => e[0]), each.flatMap((e) => e[1])];
    }
    // Means and variances of f [units] along each path.
    paths(x) {
      let found = [this.marginals(0, x)];
      this.draws.forEach((noise, depth) => {
        found = Array.from({ length: this.samples }, (_, s) => {
          const [mean, variance] = found[found.length === 1 ? 0 : s], d = mean.length;
          return this.marginals(depth + 1, mean.map((m, u) => m + Math.sqrt(variance[u]) * noise[s * d + u]));
        });
      });
      return found;
    }
    at(x) {
      const paths = this.paths(x);
      if (this.likelihood !== "gaussian") return average(paths.map(([m, v]) => probabilities[this.likelihood](m, v)));
      return paths.map(([m, v]) => [1 / paths.length, m[0], Math.sqrt(v[0] + this.noise)]);
    }
  }
  class Simple { // arrays by their names, as dgpexp/reference/baselines.py has them
    constructor(about) {
      for (const [name, value] of Object.entries(about))
        this[name] = value[0] === "doubles" ? doubles(value[1]) : value[0] === "singles" ? singles(value[1]) : value;
    }
  }
  class Linear extends Simple {
    at(x) {
      const D = x.length, K = this.weights.length, apart = x.map((v, j) => v - this.centre[j]), inside = [];
      let outside = dot(apart, apart), mean = this.offset[0], variance = this.noise[0];
      for (let k = 0; k < K; k++) inside.push(dot(apart, this.directions.subarray(k * D, (k + 1) * D)));
      inside.forEach((v, k) => {
        mean += v * this.weights[k];
        variance += v * dot(inside, this.covariance.subarray(k * K, (k + 1) * K));
        outside -= v * v; // the directions are orthonormal
      });
      return [[1, mean, Math.sqrt(variance + Math.max(outside, 0) * this.prior[0])]];
    }
  }
  class GP extends Simple {
    constructor(about) {
      super(about);
      this.points = this.white.length;
      this.inner = this.L;
      this.outer = cholesky(this.points, (i, j) => this.kernelAt(this.row(i), j) + (i === j ? 1e-8 * this.variance : 0));
    }
    row(i) { return this.z.subarray(i * this.lengthscales.length, (i + 1) * this.lengthscales.length); }
    kernelAt(scaled, j) {
      const r2 = this.row(j).reduce((sum, z, q) => sum + (scaled[q] - z) ** 2, 0);
      return this.variance * profiles[this.kernel](r2);
    }
    at(x) {
      const scaled = x.map((v, q) => v / this.lengthscales[q]), m = this.points;
      const a = solved(this.outer, m, Float64Array.from({ length: m }, (_, j) => this.kernelAt(scaled, j)));
      const known = dot(a, a), b = solved(this.inner, m, a);
      return [[1, dot(b, this.white), Math.sqrt(Math.max(this.variance - known + dot(b, b), 0) + this.noise)]];
    }
  }
  class Trees extends Simple {
    sums(x, end = "") {
      const [C, T, K] = this["shape" + end], [feature, threshold, left, right, value] =
        ["feature", "threshold", "left", "right", "value"].map((name) => this[name + end]);
      return Array.from({ length: C }, (_, c) => {
        let sum = this["baseline" + end][c];
        for (let first = c * T * K; first < (c + 1) * T * K; first += K) {
          let node = 0, next;
          while ((next = (x[feature[first + node]] <= threshold[first + node] ? left : right)[first + node]) !== node) node = next;
          sum += value[first + node];
        }
        return sum;
      });
    }
  }
  class Boosted extends Trees {
    at(x) { return [[1, this.sums(x)[0], Math.exp(0.5 * this.sums(x, "_v")[0])]]; }
  }
  function ofScores(scores, classes, of) { // probabilities of all classes, from scores of those that training rows have
    if (scores.length === 1 && classes.length === 2) scores = [0, scores[0]];
    const most = Math.max(...scores), p = scores.map((v) => Math.exp(v - most)), total = p.reduce((a, b) => a + b, 0);
    const found = Array(of).fill(1e-12);
    classes.forEach((c, k) => { found[c] = Math.max(p[k] / total, 1e-12); });
    return found;
  }
  class BoostedClasses extends Trees {
    at(x) { return ofScores(this.sums(x), this.classes, this.of[0]); }
  }
  class Logistic extends Simple {
    at(x) {
      const D = x.length, scores = Array.from(this.offset, (v, c) => v + dot(x, this.weights.subarray(c * D, (c + 1) * D)));
      return ofScores(scores, this.classes, this.of[0]);
    }
  }
  const members = { deep: Deep, linear: Linear, gp: GP, boosted: Boosted, logistic: Logistic, boostedClasses: BoostedClasses };
  const dot = (a, b) => { let sum = 0; for (let i = 0; i < a.length; i++) sum += a[i] * b[i]; return sum; };

  class Model {
    constructor(about) {
      Object.assign(this, about);
      this.parts = about.members.map((m) => [m.weight, new members[m.kind](m)]);
    }
    predict(x) { // inputs in their own units
      const scaled = x.map((value, j) => (value - this.x.mean[j]) / this.x.std[j]);
      const found = this.parts.map(([weight, part]) => [weight, part.at(scaled)]);
      if (this.labels.length) return found[0][1].map((_, c) => found.reduce((sum, [w, p]) => sum + w * p[c], 0));
      return new Mixture(found.flatMap(([w, parts]) => parts.map(
        ([share, m, s]) => [w * share, m * this.y.std + this.y.mean, s * this.y.std])));
    }
  }
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const average = (rows) => rows[0].map((_, c) => mean(rows.map((row) => row[c])));

  // Φ by its series Σ x^(2k+1) / (1·3·…·(2k+1)) times the density; far out by the continued fraction of its tail.
  function cdf(x) {
    const density = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
    if (Math.abs(x) < 4) {
      let term = x, sum = x;
      for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) sum += term *= x * x / k;
      return 0.5 + density * sum;
    }
    let tail = Math.abs(x);
    for (let k = 40; k > 0; k--) tail = Math.abs(x) + k / tail;
    return x < 0 ? density / tail : 1 - density / tail;
  }

  const probabilities = { // of the classes, for f ~ N(mean, diag variance)
    probit: (mean, variance) => {
      const p = cdf(mean[0] / Math.sqrt(1 + variance[0]));
      return [1 - p, p];
    },
    // f_c is the largest with P_c = ∫ N(f | c) Π_{k≠c} Φ((f - mean_k) / deviation_k) df, by the trapezoidal rule.
    robustmax: (mean, variance) => {
      const std = variance.map(Math.sqrt), slip = 1e-3, least = Math.min(...std) / 4;
      const low = Math.max(...mean.map((m, k) => m - 7 * std[k])), high = Math.max(...mean.map((m, k) => m + 7 * std[k]));
      const nodes = Math.min(4000, Math.ceil((high - low) / least)), p = mean.map(() => 0);
      for (let i = 0; i <= nodes; i++) {
        const f = low + (high - low) * i / nodes, z = mean.map((m, k) => (f - m) / std[k]), below = z.map(cdf);
        p.forEach((_, c) => {
          p[c] += below.reduce((product, b, k) => k === c ? product : product * b, Math.exp(-0.5 * z[c] * z[c]) / std[c]);
        });
      }
      const total = p.reduce((a, b) => a + b, 0);
      return p.map((v) => v / total * (1 - slip) + (1 - v / total) * slip / (p.length - 1));
    },
  };

  // ---- the predictive distribution of a number: Gaussians [weight, mean, deviation]

  class Mixture {
    constructor(parts) { this.parts = parts; }
    sum(of) { return this.parts.reduce((sum, [w, m, s]) => sum + w * of(m, s), 0); }
    get mean() { return this.sum((m) => m); }
    get deviation() {
      const centre = this.mean;
      return Math.sqrt(this.sum((m, s) => s * s + (m - centre) ** 2));
    }
    cdf(y) { return this.sum((m, s) => cdf((y - m) / s)); }
    density(y) { return this.sum((m, s) => Math.exp(-0.5 * ((y - m) / s) ** 2) / s) / Math.sqrt(2 * Math.PI); }
    ends(reach) {
      return [[-reach, Math.min], [reach, Math.max]].map(([z, best]) => best(...this.parts.map(([, m, s]) => m + z * s)));
    }
    quantile(p) {
      let [low, high] = this.ends(9);
      for (let i = 0; i < 60; i++) {
        const middle = (low + high) / 2;
        if (this.cdf(middle) < p) low = middle; else high = middle;
      }
      return (low + high) / 2;
    }
    // Places, at most a quarter of the narrowest component apart, and the densities there.
    grid() {
      const [low, high] = this.ends(5), finest = Math.min(...this.parts.map(([, , s]) => s)) / 4;
      const step = (high - low) / Math.min(4000, Math.max(300, Math.ceil((high - low) / finest)));
      const y = Float64Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);
      return { y, p: y.map((v) => this.density(v)), step };
    }
    // The highest-density region: [low, high] of every interval, from a grid.
    region(level, { y, p, step } = this.grid()) {
      let low = 0, high = p.reduce((a, b) => Math.max(a, b)), found = [];
      for (let round = 0; round < 40; round++) {
        const t = (low + high) / 2;
        found = [];
        let mass = 0;
        for (let i = 1; i < y.length; i++) {
          const at = y[i - 1] + step * (t - p[i - 1]) / (p[i] - p[i - 1]), above = p[i] >= t, before = p[i - 1] >= t;
          if (above && !before) found.push([at]);
          if (before && !above) found[found.length - 1].push(at);
          if (above && before) mass += step * (p[i] + p[i - 1]) / 2;
          else if (above) mass += (y[i] - at) * (p[i] + t) / 2;
          else if (before) mass += (at - y[i - 1]) * (p[i - 1] + t) / 2;
        }
        if (mass > level) low = t; else high = t;
      }
      return found;
    }
    // Maxima from which the density falls by a tenth of their height before it rises to a higher one.
    modes({ y, p } = this.grid()) {
      const found = [];
      for (let i = 1; i + 1 < p.length; i++) {
        if (p[i] <= p[i - 1] || p[i] < p[i + 1]) continue;
        const pass = [-1, 1].map((way) => {
          let least = p[i];
          for (let j = i; j >= 0 && j < p.length; j += way) {
            if (p[j] > p[i]) return least;
            least = Math.min(least, p[j]);
          }
          return 0;
        });
        const bend = p[i - 1] - 2 * p[i] + p[i + 1];
        if (p[i] - Math.max(...pass) >= 0.1 * p[i])
          found.push([y[i] + (y[1] - y[0]) * (bend ? 0.5 * (p[i - 1] - p[i + 1]) / bend : 0), p[i]]);
      }
      return found.sort((a, b) => b[1] - a[1]).map(([at]) => at);
    }
  }

  return { Model, doubles, singles };
})();
