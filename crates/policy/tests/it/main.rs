//! Permission rules, shell commands and settings, by tables and against bash itself.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test has nobody to hand an error to")]

mod confined;
mod deny_bash;
mod files;
mod rules;
mod settings;
mod shell;
mod shell_bash;
mod spellings;
mod table;
mod taking;
