//! The client against the scripted API on loopback and against temporary folders: no other network, and no home.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test has nobody to hand an error to")]

mod api;
mod fuzz_seeds;
mod memory;
mod policy_deny_bash;
mod policy_files;
mod policy_rules;
mod policy_settings;
mod policy_shell;
mod policy_shell_bash;
mod policy_table;
mod replay;
mod tools;
mod turn;
