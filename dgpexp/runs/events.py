"""What is said of a run while it is executed: by a worker, through an engine, to whoever watches the sweep."""

from typing import Any

Event = dict[str, Any]
