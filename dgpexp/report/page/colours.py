"""The colours of the methods as style sheet: figures in the page take them from here, by day and in the dark."""

from dgpexp.methods import METHODS

_SHAPES = {"o": "border-radius: 50%;", "D": "transform: rotate(45deg) scale(0.9);"}  # of the dot beside a name


def style_sheet() -> str:
    """A variable per method, its dark twin, and the dot that stands beside its name."""
    light = " ".join(f"--{name}: {method.colour};" for name, method in METHODS.items())
    dark = " ".join(f"--{name}: {method.dark};" for name, method in METHODS.items())
    dots = "\n".join(
        f".dot.{name} {{ background: var(--{name}); {_SHAPES.get(method.marker, '')} }}"
        for name, method in METHODS.items()
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{dots}\n"
