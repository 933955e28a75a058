"""Deliberate differences between annals and the original with hooks: (scenario, place in its facts, reason). Both are patterns."""

DIFFERENCES = []
