"""Copy runs from their folders to the databases that users of Sacred look at."""
