//! The generator held against a reader that knows nothing of it.

mod chains;
mod coverage;
mod json;
mod pinned;
mod reader;
mod repeat;
mod tally;
