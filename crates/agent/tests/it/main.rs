//! The client against temporary folders, without a network and without a home.

#![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod policy_deny_bash;
mod policy_files;
mod policy_rules;
mod policy_settings;
mod policy_shell;
mod policy_shell_bash;
mod policy_table;
