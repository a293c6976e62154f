"""``python -m cinqmille`` is the command ``cinqmille``."""

import sys

from cinqmille.cli import main

if __name__ == "__main__":
    sys.exit(main())
