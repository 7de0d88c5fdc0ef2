"""One run, which cannot be lost: locked, trained with checkpoints, recorded by Sacred."""
