//! Tests of the generator with an independent reader.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod chains;
mod coverage;
mod json;
mod pinned;
mod reader;
mod repeat;
mod tally;
