//! The integration tests of `web`, in one binary: a real server, spoken to over TCP.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod changes;
mod files;
mod hostile;
mod live;
mod overview;
mod pages;
mod refusals;
mod support;
