"""The general metrics library: unit metrics and aggregator metrics for any prediction task."""
