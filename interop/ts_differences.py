"""Deliberate differences between annals and the original under the TypeScript SDK: (program, place in its facts, reason). Both are patterns."""

DIFFERENCES = []
