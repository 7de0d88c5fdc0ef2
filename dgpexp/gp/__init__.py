"""The mathematics: kernels, linear algebra with cheap gradients, moments, one sparse GP layer, the deep GP."""
