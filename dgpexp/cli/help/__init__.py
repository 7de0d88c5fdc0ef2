"""Commands that explain dgpexp itself."""
