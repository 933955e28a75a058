//! The integration tests of the command line, in one binary: one module per subject.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test has nobody to hand an error to")]

mod appending;
mod appending_anything;
mod archiving;
mod bad_plans;
mod briefs;
mod bundles;
mod chat;
#[cfg(target_os = "linux")]
mod chat_disk;
mod checking;
mod collect;
mod collecting;
mod completing;
mod configuring;
mod confirming;
mod copying;
mod corpus;
mod costs_agree;
mod crashes;
mod damage;
mod described;
mod doctor;
mod drift;
mod errors;
mod exporting;
mod files;
mod forms;
#[cfg(target_os = "linux")]
mod full_disk;
mod help;
#[cfg(target_os = "linux")]
mod hook;
#[cfg(unix)]
mod hostile;
mod hostile_text;
mod killed;
#[cfg(target_os = "linux")]
mod killed_anywhere;
#[cfg(unix)]
mod links;
mod listing;
#[cfg(target_os = "linux")]
mod long_lines;
mod mcp;
mod mcp_install;
mod mcp_login;
mod mcp_serve;
mod messages;
mod mock_api;
mod old_data;
mod placing;
mod redact;
mod repair;
mod replaying;
mod rewind;
#[cfg(target_os = "linux")]
mod sandbox;
mod schema;
mod schemas;
mod search;
mod serving;
mod several_stores;
mod shortening;
mod spread_records;
mod stores;
mod sub_agents;
mod tail;
mod team;
mod team_service;
#[cfg(target_os = "linux")]
mod terminal;
mod todos;
mod trash;
mod truth;
#[cfg(target_os = "linux")]
mod tui;
#[cfg(target_os = "linux")]
mod unreadable;
mod usage;
mod widths;

use annals_testkit::home::{CommandOutput, Home};

/// Runs `annals` in a home of its own.
fn annals(home: &Home, arguments: &[&str]) -> CommandOutput {
    home.run(env!("CARGO_BIN_EXE_annals"), arguments)
}

/// Runs `annals` and insists on the exit code.
fn annals_exits(home: &Home, arguments: &[&str], code: i32) -> CommandOutput {
    let answer = annals(home, arguments);
    assert_eq!(answer.code, Some(code), "annals {}\n{}{}", arguments.join(" "), answer.out, answer.error);
    answer
}

/// Holds output against what is expected, which ends in `[EOF]` so that trailing white space shows.
#[track_caller]
fn expect(out: &str, expected: &str) {
    let seen = format!("{out}[EOF]");
    assert!(seen == expected, "---- seen\n{seen}\n---- expected\n{expected}\n");
}
