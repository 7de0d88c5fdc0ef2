"""A table of the user's own: a CSV file, its columns of words, the copy that is kept, new rows to predict."""
