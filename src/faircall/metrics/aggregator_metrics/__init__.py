"""Aggregator metrics: numbers over a list of unit results."""
