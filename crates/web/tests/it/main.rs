//! The integration tests of `web`, in one binary: a real server, spoken to over TCP.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod changes;
mod encrypted;
mod files;
mod hostile;
mod limits;
mod live;
mod overview;
mod pages;
mod readers;
mod refusals;
mod support;
