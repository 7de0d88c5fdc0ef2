"""Sources of data sets: a local file, a download, a package, a folder that the user imports."""
