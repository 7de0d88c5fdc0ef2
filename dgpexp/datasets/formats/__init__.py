"""What data sets come in: text, workbooks, zips; and how any of them becomes the one canonical array."""
