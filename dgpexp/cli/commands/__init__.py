"""The commands, one file each, named after what they call; each imports heavy modules inside its body."""
