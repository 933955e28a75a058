//! Tests of the tools over whole stores.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod hostile;
mod protocol;
mod questions;
mod support;
mod team;
mod tools;
