//! The integration tests of `transcript`, in one binary: one module per subject.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test has nobody to hand an error to")]

mod activity;
mod appended;
mod corpus;
mod drafts;
mod drift;
mod from_json;
mod fuzz_seeds;
mod messages;
mod properties;
mod query;
mod redact;
mod resume;
mod resume_chain;
mod resume_leaf;
mod resume_messages;
mod resume_oracle;
mod resume_reading;
mod resume_shapes;
mod resume_words;
mod round_trip;
mod usage;
