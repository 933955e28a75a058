//! The agent against the scripted API, over real connections on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test has nobody to hand an error to")]

mod api;
