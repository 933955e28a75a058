//! Collection, against files that change and sinks that fail.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod contract;
mod exactly_once;
mod http;
mod patience;
mod spool;
mod support;
mod too_large;
mod what;
