"""The run store: the folder of a run, who holds it, and the tidy table of all."""
