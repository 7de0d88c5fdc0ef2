"""Tools for whoever works on dgpexp; they are not installed with it."""
