//! Collection, against files that change and sinks that fail.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod contract;
mod exactly_once;
mod http;
mod last_line;
mod moves;
mod patience;
mod refusals;
mod spool;
mod suite;
mod support;
mod too_large;
mod upgrade;
mod what;
