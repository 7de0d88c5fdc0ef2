"""The report for people: its page, and its tables as text, LaTeX and HTML."""
