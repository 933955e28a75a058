//! The agent against the scripted API on loopback and temporary folders, without other network or the home folder.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test has nobody to hand an error to")]

mod api;
mod fuzz_seeds;
mod mcp;
mod memory;
mod modules;
mod replay;
mod tools;
mod turn;
