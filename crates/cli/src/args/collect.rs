//! The arguments of `annals collect`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::reading::parse_bytes;

const COLLECT_EXAMPLES: &str = "\
Sends whole new lines since the last acknowledged one, each at least once: (machine, file, generation, offset) names a
line for ever. Secrets are taken out first, by the rules of `annals redact`; there is no way around that.
A bearer token comes from $ANNALS_COLLECT_TOKEN or --token-file; it goes out by https, or to this machine.

Examples:
  annals collect --to - --dry-run                      how much is new
  annals collect --to file:/var/log/sessions.ndjson    append it to a file
  annals collect --to http://127.0.0.1:8080/in --watch send it as it is written
  annals collect --to https://logs.example.org/in      send it there, encrypted
  annals collect --to - --priority p0                  only sessions and their index";

/// `annals collect`
#[derive(Debug, clap::Args)]
#[command(after_help = COLLECT_EXAMPLES)]
pub(crate) struct CollectArgs {
    /// Where to: file:PATH, `-` for standard output, or http(s)://HOST:PORT/PATH
    #[arg(long, value_name = "SINK")]
    pub(crate) to: String,
    /// Go on following the store until stopped
    #[arg(long)]
    pub(crate) watch: bool,
    /// Only say how much is new; nothing is sent or noted
    #[arg(long, conflicts_with = "watch")]
    pub(crate) dry_run: bool,
    /// Everything up to this: sessions (p0), sub-agents (p1), the prompt history (p2), statistics (p3)
    #[arg(long, value_enum, ignore_case = true, default_value_t = UpTo::P3, value_name = "PRIORITY")]
    pub(crate) priority: UpTo,
    /// Also what is left out otherwise; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) include: Vec<Included>,
    /// A regular expression of your own for what must not leave; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Vec<String>,
    /// The form of a body that is sent by http
    #[arg(long, value_enum, default_value_t = BodyFormat::Ndjson, value_name = "FORMAT")]
    pub(crate) format: BodyFormat,
    /// How a body is sent by http
    #[arg(long, value_enum, default_value_t = BodyEncoding::Zstd, value_name = "ENCODING")]
    pub(crate) encoding: BodyEncoding,
    /// A file that holds the bearer token [default: $ANNALS_COLLECT_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Trust a receiver that these certificates vouch for (PEM) [default: those of the system]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// How much may wait on the disk for a sink that is away, such as 64M; then reading stops
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) spool: u64,
    /// How often a batch is tried before the sink counts as away
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) attempts: u32,
}

/// How much is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UpTo {
    /// Sessions and their index
    P0,
    /// And sub-agents
    P1,
    /// And the prompt history
    P2,
    /// And the client's statistics
    P3,
}

/// What is left out otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Included {
    /// Output that was too large for its line
    ToolResults,
    /// Copies of files before edits
    FileHistory,
    /// Todo lists and tasks
    Todos,
    /// Plans
    Plans,
}

/// How a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyEncoding {
    /// Compressed
    Zstd,
    /// Compressed in the way that everybody knows
    Gzip,
    /// As it is
    Identity,
}

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyFormat {
    /// One item a line
    Ndjson,
    /// One array of items
    Json,
}
