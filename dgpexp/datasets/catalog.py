"""The data sets dgpexp knows: what they are, who may use them, and how to recognise the right numbers."""

import difflib
from dataclasses import dataclass

from dgpexp.datasets.synthetic import GENERATORS
from dgpexp.errors import UserError


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One entry: enough to describe a set without loading it, and to prove that what was loaded is it."""

    name: str
    experiment: str  # the protocol that uses it: uci, year, airline, synthetic
    rows: int  # N
    features: tuple[str, ...]
    target: str
    licence: str
    citation: str
    file: str = ""  # the canonical file's name, with a header and the target last
    file_sha256: str = ""
    fingerprint: str = ""  # of the parsed array [N, D+1]; see table.fingerprint

    @property
    def inputs(self) -> int:
        """D."""
        return len(self.features)

    @property
    def synthetic(self) -> bool:
        return self.experiment == "synthetic"


def _uci(name: str, rows: int, columns: str, licence: str, citation: str, sha: str, fingerprint: str) -> Dataset:
    *features, target = columns.split()
    return Dataset(
        name=name,
        experiment="uci",
        rows=rows,
        features=tuple(features),
        target=target,
        licence=licence,
        citation=citation,
        file=f"{name}.csv.gz",
        file_sha256=sha,
        fingerprint=fingerprint,
    )


_CC = "CC BY 4.0"
_TIMBRE = tuple(f"timbre_avg{i}" for i in range(1, 13)) + tuple(f"timbre_cov{i}" for i in range(1, 79))
_FLIGHT = ("Month", "DayofMonth", "DayOfWeek", "plane_age", "AirTime", "Distance", "ArrTime", "DepTime")
_MSD = "Bertin-Mahieux, UCI Machine Learning Repository 203 (2011), doi:10.24432/C50K61"
_BTS = "US Bureau of Transportation Statistics, on-time performance; FAA aircraft registry"

_SETS = [
    _uci(
        "boston",
        506,
        "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT MEDV",
        "public (StatLib)",
        "Harrison & Rubinfeld, J. Environ. Economics & Management 5 (1978) 81-102",
        "bdadb3287834db0780130f26a16d511d2489f45475dfed78cd2bf4f2f0b336b6",
        "9a268933b06ee25727c32867cf0de4cc1f5e454320291905ec767a29b9bcc221",
    ),
    _uci(
        "concrete",
        1030,
        "Cement BlastFurnaceSlag FlyAsh Water Superplasticizer CoarseAggregate FineAggregate Age CompressiveStrength",
        _CC,
        "Yeh, UCI Machine Learning Repository 165 (1998), doi:10.24432/C5PK67",
        "6459bceb02b6eb980569a3690753a10cdcd69f223dd566ba4b1e604df3ea0699",
        "0aa4ec34c19970f4636de7037cd2ae71922c4f7bd797d3f72d261348a5db1185",
    ),
    _uci(
        "energy",
        768,
        "RelativeCompactness SurfaceArea WallArea RoofArea OverallHeight Orientation GlazingArea "
        "GlazingAreaDistribution HeatingLoad",
        _CC,
        "Tsanas & Xifara, UCI Machine Learning Repository 242 (2012), doi:10.24432/C51307",
        "7703105b1a58365845d76d3baa2c6e421e1f0bb5076c3795a5707f06d4d6847a",
        "d0ed12e739c0931d3dbd11db4d2bf6da478a94abe84ed3a6ad66abf986318e9b",
    ),
    _uci(
        "kin8nm",
        8192,
        "theta1 theta2 theta3 theta4 theta5 theta6 theta7 theta8 y",
        "public (OpenML)",
        "Delve, kin family (1996); OpenML 189",
        "0bfc160393b078105a841ad00b321b03d5799b7600ec1b5a4f774ed93761bf40",
        "54dfb8e327e1c6ec1e5720189ae527446cf90a6eba7c122221ce19d27e2ebf35",
    ),
    _uci(
        "naval",
        11934,
        "lp v GTT GTn GGn Ts Tp T48 T1 T2 P48 P1 P2 Pexh TIC mf kMc",
        _CC,
        "Coraddu et al., UCI Machine Learning Repository 316 (2014), doi:10.24432/C5K31K",
        "741b1a910bcc1cd94b48d1a3585e35e21c6c4d47abdd1288142343237d50d9ff",
        "f8c48333439e39a9fd4300f4416dfc28a9f15527410449c0198f5812725cc206",
    ),
    _uci(
        "power",
        9568,
        "AT V AP RH PE",
        _CC,
        "Tfekci & Kaya, UCI Machine Learning Repository 294 (2014), doi:10.24432/C5002N",
        "a5c1c9ebe84fc4e39bb4c1ed41d3116bd88b5797e254e3682fb379239a5c3448",
        "910a2f2ef41678805b09a755309837c64b947ecbc15e398eed1fe4f2861aeffc",
    ),
    _uci(
        "protein",
        45730,
        "F1 F2 F3 F4 F5 F6 F7 F8 F9 RMSD",
        _CC,
        "Rana, UCI Machine Learning Repository 265 (2013), doi:10.24432/C5QW3H",
        "5dafcc9ce4127885ce5db37383ffe8c4706738d0f9483eb9f0521a44b717f81c",
        "ac06bffb4377f6cb3aced7df0a995c1aaf710ab9965a2ae59b1875a33221e3c8",
    ),
    _uci(
        "wine",
        1599,
        "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide total_sulfur_dioxide "
        "density pH sulphates alcohol quality",
        _CC,
        "Cortez et al., UCI Machine Learning Repository 186 (2009), doi:10.24432/C56S3T",
        "195a53201e2a5f2161a834459c2f695d5f6a1676bc65dca8090336800eef03ca",
        "561a16f89aff2cfd3857fdf96b53d6b07776f877baff853fc0bb40fe21e8c38d",
    ),
    Dataset(
        name="year",
        experiment="year",
        rows=515345,
        features=_TIMBRE,
        target="year",
        licence=_CC,
        citation=_MSD,
    ),
    Dataset(
        name="year_head",
        experiment="year",
        rows=1176,
        features=_TIMBRE,
        target="year",
        licence=_CC,
        citation=_MSD + ", its first 1176 rows: for trying things out, not for results",
        file="year_head.csv.gz",
        file_sha256="80326ad0630bd6df828655a2d95de9b234456311e7cec8404ebe65c933fd4dba",
        fingerprint="4e19e407549ff62650227191c88675fc4f4c737908bf900462c065d9a9e0b30b",
    ),
    Dataset(
        name="airline",
        experiment="airline",
        rows=2297960,
        features=_FLIGHT,
        target="ArrDelay",
        licence="US government work, CC0, MIT",
        citation=_BTS + ", eleven samples of 1999-2024",
        file="airline.npz",
        file_sha256="aed3e2e09d0c118a1670b0cff99999b053625d18a644787b5712d586125edc90",
        fingerprint="de12c27f0536fc4209de902bbd25d40d57e99ef02248c7a603c1a0aa080a9592",
    ),
]

_SYNTHETIC = [
    Dataset(
        name=name,
        experiment="synthetic",
        rows=1000,
        features=("x",),
        target="y",
        licence="generated",
        citation="PROTOCOL 5.2" if name != "step" else "Figure 4.3.4",
    )
    for name in GENERATORS
]

CATALOG: dict[str, Dataset] = {d.name: d for d in [*_SETS, *_SYNTHETIC]}


def find(name: str) -> Dataset:
    """The entry of that name, or a sentence with the name that was probably meant."""
    if name in CATALOG:
        return CATALOG[name]
    near = difflib.get_close_matches(name.lower(), CATALOG, n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    raise UserError(f"unknown data set '{name}'{hint}; the data sets are: {', '.join(CATALOG)}.")
