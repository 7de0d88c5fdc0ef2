"""The figures of the theory, one small module each: its docstring is the title and the caption, `draw` makes it."""
