"""The kernels, one entry each: all that the rest of dgpexp asks of a kernel before it trains. Needs no TensorFlow."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    """What a kernel says of itself."""

    where: str  # its module in dgpexp/gp/kernels, and its class
    stationary: bool = True  # whether it has values k(x, z): every method but rff computes them
    moments: bool = False  # whether gp/moments.py has its moments for Gaussian inputs in closed form: aep needs them
    features: bool = False  # whether random features are known: rff draws them


KERNELS = {
    "rbf": Kernel("stationary:RBF", moments=True, features=True),
    "matern32": Kernel("stationary:Matern32"),
    "matern52": Kernel("stationary:Matern52"),
    "arccosine": Kernel("features:ArcCosine", stationary=False, features=True),
}
