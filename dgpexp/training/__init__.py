"""Training and evaluation: the loop, the metrics, and trained models as files."""
