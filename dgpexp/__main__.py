"""`python -m dgpexp` is `dgpexp`."""

from dgpexp.cli.main import main

main()
