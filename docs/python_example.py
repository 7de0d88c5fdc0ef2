"""Fit DeepGPRegressor to data with two branches, and draw what it predicts: docs/figures/python.png."""

import sys

import numpy as np
from matplotlib import pyplot as plt

from dgpexp import DeepGPRegressor

# How long a delivery takes: by bicycle or by van, and nobody wrote down which.
rng = np.random.default_rng(0)
distance = rng.uniform(0, 10, size=600)
by_van = rng.random(600) < 0.5
minutes = np.where(by_van, 22 + 1.2 * distance, 4 + 4.5 * distance) + rng.normal(scale=1.5, size=600)

# As in the thesis for data with branches: hidden layers of three units, without a mean function.
model = DeepGPRegressor(
    "aepmcm",
    layers=3,
    inducing_points=30,
    steps=5000,
    batch_size=50,
    settings={"hidden_width": 3, "mean_function": "none"},
    random_state=0,
    progress=True,
)
model.fit(distance[:, None], minutes)
model.save(sys.argv[1] if len(sys.argv) > 1 else "deliveries.npz")

x = np.linspace(0, 10, 200)[:, None]
central, regions = model.predict_interval(x, 0.9), model.predict_interval(x, 0.9, kind="hdr")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(distance, minutes, ".", color="0.7", markersize=3)
for k in range(regions.shape[1]):
    label = "90 %, highest density" if k == 0 else None
    left.fill_between(
        x[:, 0], regions[:, k, 0], regions[:, k, 1], color="#0072b2", alpha=0.35, linewidth=0, label=label
    )
left.plot(x[:, 0], central, color="#d55e00", linewidth=1, label=["90 %, central", None])
left.plot(x[:, 0], model.predict(x), color="black", linewidth=1, label="mean")
left.set(xlabel="distance in km", ylabel="minutes")
left.legend(frameon=False, fontsize=8)

at = model.pred_dist([[1.5]])
y = np.linspace(0, 35, 500)
right.plot(y, at.pdf(y[:, None])[:, 0], color="#0072b2")
for mode in at.modes()[0]:
    right.axvline(mode, color="#0072b2", linestyle=":", linewidth=1)
right.axvline(at.mean()[0], color="black", linewidth=1)
right.set(xlabel="minutes for 1.5 km", ylabel="density", ylim=(0, None))
figure.savefig("docs/figures/python.png", dpi=130)

print("modes at 1.5 km:", at.modes()[0].round(1), "mean:", at.mean().round(1))
print("P(more than 20 minutes):", (1 - at.cdf(20.0)).round(2))
