"""The report of a table of the user's own: it leads with her table, and has no word of the thesis."""
