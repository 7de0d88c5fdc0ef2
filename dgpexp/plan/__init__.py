"""What is to be run: protocols, the runs they are made of, what those cost, and how far they are."""
