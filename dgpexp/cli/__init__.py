"""The command line: one file per command, no logic, heavy imports inside the commands."""
