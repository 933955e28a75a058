//! The store against temporary config dirs and against the corpus.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod agents;
mod changes;
mod corpus;
mod discovery;
mod finding;
mod following;
mod orphans;
mod reading;
mod side_stores;
mod side_writing;
mod snapshot;
mod summaries;
mod tail;
mod trash;
mod usage;
mod watching;
mod writing;
mod writing_sessions;
