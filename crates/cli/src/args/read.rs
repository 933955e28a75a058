//! The arguments of the commands that read: `ls`, `tail`, `check`, `todos`, `plans`, `history`; and of `demo` and
//! `completions`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::change::{SET_EXAMPLES, TodosSetArgs};
use super::help::COMPLETIONS_EXAMPLES;
use super::team::AtArgs;

const LS_EXAMPLES: &str = "\
Examples:
  # The sessions of a project
  annals ls --project shop

  # The ten most expensive sessions, with their turns, tokens and cost
  annals ls --long --sort cost --limit 10";

/// `annals ls`
#[derive(Debug, clap::Args)]
#[command(after_help = LS_EXAMPLES)]
pub(crate) struct LsArgs {
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only sessions written to on this date or later, such as 2026-01-03, 2026-10, 7d or 12h
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only sessions written to on this date or earlier
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only sessions that used a model whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// Only sessions with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// What to sort by
    #[arg(long, value_enum, default_value_t = SortKey::Modified, value_name = "KEY")]
    pub(crate) sort: SortKey,
    /// Show at most N sessions [default: 20 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show turns, sub-agents, tokens and cost; slow without an index (`annals index`)
    #[arg(short, long)]
    pub(crate) long: bool,
    /// Show empty files and warm-up stubs too, without a limit
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) at: AtArgs,
}

/// What sessions are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortKey {
    /// Last written first
    Modified,
    /// Newest first
    Created,
    /// Largest first
    Size,
    /// Most expensive first
    Cost,
    /// Most tokens first
    Tokens,
    /// Most turns first
    Turns,
    /// By title
    Title,
}

const TAIL_EXAMPLES: &str = "\
Stop it with Ctrl-C. With --json every record is one line.

Examples:
  # Watch the newest session of this folder
  annals tail last

  # Only new records, as JSON
  annals tail 190c --lines 0 --json";

/// `annals tail`
#[derive(Debug, clap::Args)]
#[command(after_help = TAIL_EXAMPLES)]
pub(crate) struct TailArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Print the last N records before following
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) lines: usize,
    /// How to watch the file; for benchmarks
    #[arg(long, value_enum, default_value_t = WatchMethod::Best, value_name = "WAY", hide = true)]
    pub(crate) notice_by: WatchMethod,
}

/// How a file is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WatchMethod {
    /// System events if available, else polling
    Best,
    /// System events
    Events,
    /// Polling
    Polling,
}

const CHECK_EXAMPLES: &str = "\
Lists problems by line and byte, and what each client release would keep and
lose. Exit code 3 if there are problems, if the newest release loses messages,
or if a file cannot be read; `annals repair` fixes most of them.

Examples:
  # Check the newest session of this folder
  annals check last

  # Check the whole store
  annals check --all";

/// `annals check`
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Sessions: paths, ids or prefixes, titles, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    /// Check every session of the store, and look for orphans, stale index entries and empty files
    #[arg(long)]
    pub(crate) all: bool,
}

const TODOS_EXAMPLES: &str = "\
Examples:
  # Lists with an open item
  annals todos

  # All lists of one session
  annals todos 0024 --all";

/// `annals todos`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = TODOS_EXAMPLES)]
pub(crate) struct TodosArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TodosCommand>,
    /// Only lists of this session
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Show lists without an open item too
    #[arg(long)]
    pub(crate) all: bool,
}

/// The commands of `annals todos`.
#[derive(Debug, Subcommand)]
pub(crate) enum TodosCommand {
    /// Replace the todo list of a session
    #[command(after_help = SET_EXAMPLES)]
    Set(TodosSetArgs),
}

const PLANS_EXAMPLES: &str = "\
Examples:
  # List plans, with the sessions that refer to them
  annals plans

  # Print one
  annals plans quiet-folding-heron

  # The memory files of all projects
  annals plans --memory";

/// `annals plans`
#[derive(Debug, clap::Args)]
#[command(after_help = PLANS_EXAMPLES)]
pub(crate) struct PlansArgs {
    /// Print this plan [default: list all]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Memory files of projects instead; NAME is PROJECT/FILE, or its end
    #[arg(long)]
    pub(crate) memory: bool,
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  # Version, stores, data folder, index, programs
  annals doctor

  # Does this session resume?
  annals doctor last";

/// `annals doctor`
#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Check these sessions instead, as annals check does
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
}

const DRIFT_EXAMPLES: &str = "\
The format changes with the releases of the client. What annals does not know
stays in the file and is never lost; this lists it, with text-free examples.

Examples:
  # Everything that is new in your store
  annals drift

  # One session, for a bug report
  annals drift last --json";

/// `annals drift`
#[derive(Debug, clap::Args)]
#[command(after_help = DRIFT_EXAMPLES)]
pub(crate) struct DriftArgs {
    /// Sessions [default: all]
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
}

const HISTORY_EXAMPLES: &str = "\
Examples:
  # The last ten prompts
  annals history --limit 10

  # Prompts of one project that contain a text
  annals history voucher --project shop";

/// `annals history`
#[derive(Debug, clap::Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct HistoryArgs {
    /// Only prompts that contain this
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Only projects whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Show at most the last N prompts [default: 50 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

const DEMO_EXAMPLES: &str = "\
The same seed gives the same store, byte for byte.

Examples:
  # A small store with one session of each kind
  annals demo --out demo

  # A larger one
  annals demo --out large --bytes 10M --seed 7";

/// `annals demo`
#[derive(Debug, clap::Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Write it to this folder, which must be empty or absent
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Write at least N sessions [default: 30, one of each kind]
    #[arg(long, value_name = "N", conflicts_with = "bytes")]
    pub(crate) sessions: Option<u32>,
    /// Write at least this much, such as 500M or 1G
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) bytes: Option<u64>,
    /// The seed of the generator
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// `annals completions`
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// `annals complete`
#[derive(Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// The words of the command line, up to the one that is being typed
    #[arg(value_name = "WORD", last = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// `500`, `64k`, `500M`, `1G`
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B') {
        "" => 1,
        "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return Err("a number of bytes, such as 500M or 1G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "a number of bytes, such as 500M or 1G".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too many bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sizes() {
        assert_eq!(parse_bytes("1G"), Ok(1_000_000_000));
        assert_eq!(parse_bytes("64kb"), Ok(64_000));
        assert!(parse_bytes("1X").is_err());
        assert!(parse_bytes("G").is_err());
    }
}
