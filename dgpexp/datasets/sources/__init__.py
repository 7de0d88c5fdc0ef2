"""Where data sets come from: a file that is here, a download, a package, a folder that the user imports."""
