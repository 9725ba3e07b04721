"""Unit metrics: one verdict per pair of golden and predicted value."""
