"""Runs that cannot be lost: the protocol → its plan → claims → training with checkpoints → Sacred → one tidy table."""
