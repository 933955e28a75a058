"""Deliberate differences between annals and the original under the SDK: (program, place in its facts, reason). Both are patterns."""

DIFFERENCES = []
