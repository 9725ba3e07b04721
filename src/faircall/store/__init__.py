"""Files on disk: atomic writes, JSON lines with line numbers, the layout of a run, manifests."""
