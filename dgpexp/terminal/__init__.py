"""What the commands that run things say and hear on a terminal: progress, interrupts, closing words."""
