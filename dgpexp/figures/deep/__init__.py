"""The figures of chapter 4: deep Gaussian processes."""
