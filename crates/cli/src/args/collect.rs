//! The arguments of `annals collect`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::read::parse_bytes;

const COLLECT_EXAMPLES: &str = "\
Sends whole new lines since the last acknowledged one, each at least once, and
what was deleted or moved; machine, store, file, generation and offset identify
an item permanently. Secrets are always redacted first, by the rules of `annals
redact`. A bearer token comes from --token-file or $ANNALS_TOKEN, and is only
sent over https or to this machine. What a receiver refuses is kept:
--status lists it, --retry-refused sends it again.

Examples:
  # How much is new
  annals collect --to - --dry-run

  # Append it to a file
  annals collect --to file:sessions.ndjson

  # Send it as it is written
  annals collect --to https://logs.example.org/in --watch

  # List what is waiting and what was refused
  annals collect --to https://logs.example.org/in --status";

/// `annals collect`
#[derive(Debug, clap::Args)]
#[command(after_help = COLLECT_EXAMPLES)]
pub(crate) struct CollectArgs {
    /// The receiver: file:PATH, `-` for standard output, http(s)://HOST:PORT/PATH, or clickhouse+https://HOST/DATABASE
    #[arg(long, value_name = "SINK")]
    pub(crate) to: String,
    /// Keep running, and send what is written
    #[arg(long)]
    pub(crate) watch: bool,
    /// Show how much is new; send and record nothing
    #[arg(long, conflicts_with = "watch")]
    pub(crate) dry_run: bool,
    /// Show what is waiting and what was refused; send nothing
    #[arg(long, conflicts_with_all = ["watch", "dry_run", "retry_refused"])]
    pub(crate) status: bool,
    /// Send refused items again
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) retry_refused: bool,
    /// Send everything up to this priority: sessions (p0), sub-agents (p1), prompts (p2), statistics (p3)
    #[arg(long, value_enum, ignore_case = true, default_value_t = PriorityLimit::P3, value_name = "PRIORITY")]
    pub(crate) priority: PriorityLimit,
    /// Send this too; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) include: Vec<ExtraKind>,
    /// Also redact matches of this regular expression; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Vec<String>,
    /// The format of http bodies
    #[arg(long, value_enum, default_value_t = BodyFormat::Ndjson, value_name = "FORMAT")]
    pub(crate) format: BodyFormat,
    /// The compression of http bodies
    #[arg(long, value_enum, default_value_t = BodyEncoding::Zstd, value_name = "ENCODING")]
    pub(crate) encoding: BodyEncoding,
    /// Read the bearer token from this file [default: $ANNALS_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Tell the receiver who owns this machine
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,
    /// Trust these CA certificates, a PEM file [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Read the login of a clickhouse sink from this file [default: $ANNALS_CLICKHOUSE_USER and _PASSWORD]
    #[arg(long, value_name = "FILE")]
    pub(crate) login_file: Option<PathBuf>,
    /// Send to this tenant of a clickhouse sink [default: none]
    #[arg(long, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// Buffer at most this much on disk while the receiver is down, such as 64M; then stop reading
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) spool: u64,
    /// Try a batch N times before treating the receiver as down
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) attempts: u32,
    /// Also send batches of other stores, such as one that was moved
    #[arg(long)]
    pub(crate) all_stores: bool,
}

/// Up to which priority lines are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PriorityLimit {
    /// Sessions, their titles and their index
    P0,
    /// Also sub-agents and workflows
    P1,
    /// Also the prompt history with its pastes
    P2,
    /// Also the client's statistics
    P3,
}

/// What is only sent on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExtraKind {
    /// Tool output stored outside the session file
    ToolResults,
    /// Copies of files before edits
    FileHistory,
    /// Todo lists and tasks
    Todos,
    /// Plans
    Plans,
    /// Memory files of projects
    Memory,
    /// Long pastes of prompts, whatever the priority
    Pastes,
    /// Saved shell environments
    ShellSnapshots,
}

/// The compression of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyEncoding {
    /// zstd
    Zstd,
    /// gzip
    Gzip,
    /// Uncompressed
    Identity,
}

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyFormat {
    /// One item per line
    Ndjson,
    /// One array of items
    Json,
}
