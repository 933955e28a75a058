//! Tests of surgery with made-up and real sessions, one module per subject.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test has nobody to hand an error to")]

mod apply;
mod bundle;
mod clone;
mod compress;
mod conversation;
mod edits;
mod fork;
mod gc;
mod growth;
mod merge;
mod move_project;
mod redact;
mod redact_copies;
mod repair;
mod rewind;
mod steps;
mod strip;
mod trash;

use annals_testkit::tree::tree;
