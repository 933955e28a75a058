//! The client against the scripted API on loopback and against temporary folders: no other network, and no home.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test has nobody to hand an error to")]

mod api;
mod fuzz_seeds;
mod memory;
mod modules;
mod replay;
mod tools;
mod turn;
