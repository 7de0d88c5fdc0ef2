"""The figures of the report, made of its tables."""
