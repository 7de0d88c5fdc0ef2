"""The command line: one file a command, no logic, heavy imports inside the commands."""
