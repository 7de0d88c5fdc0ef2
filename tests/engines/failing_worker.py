"""dgpexp's worker process, in which the second shard's gradient fails once, at step 130."""

import tensorflow as tf

from dgpexp.engines.worker import main
from dgpexp.training.shards import Shards

honest, failed = Shards.gradient, []


def failing(self, x, y, index, of, shard, step, seed):
    if (shard, step) == (1, 130) and not failed:
        failed.append(step)
        raise tf.errors.InvalidArgumentError(None, None, "Cholesky decomposition was not successful")
    return honest(self, x, y, index, of, shard, step, seed)


if __name__ == "__main__":
    Shards.gradient = failing
    main()
