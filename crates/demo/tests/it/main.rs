//! Tests of the generator with an independent reader.

mod chains;
mod coverage;
mod json;
mod pinned;
mod reader;
mod repeat;
mod tally;
