"""Figures in the dark: an SVG carries the rules itself, and follows its reader's scheme wherever it is shown.

Opened as a file, as an image of a page, or inside one. Programs that know no media queries show the colours by day.
"""

from dgpexp.drawing.palette import IN_THE_DARK


def follow_scheme(svg: str) -> str:
    """The SVG of matplotlib with its colours exchanged where the reader prefers a dark scheme, but not on paper."""
    rules = [
        f'[style*="{part}: {day}"] {{ {part}: {night} !important }}'  # stronger than the element's own style
        for day, night in IN_THE_DARK.items()
        for part in ("fill", "stroke")
        if f"{part}: {day}" in svg
    ]
    if "<image" in svg:  # rasterised: lightness turned around, hues kept
        rules.append("image { filter: invert(0.9) hue-rotate(180deg) }")
    start = svg.index(">", svg.index("<svg")) + 1
    media = "screen and (prefers-color-scheme: dark)"
    style = f'\n <style type="text/css">@media {media} {{\n  ' + "\n  ".join(rules) + "\n }</style>"
    return svg[:start] + style + svg[start:]
