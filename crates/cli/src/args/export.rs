//! The arguments of `annals export`.

use std::path::PathBuf;

use clap::ValueEnum;

const EXPORT_EXAMPLES: &str = "\
A page is one file that works offline, even without scripts. Sessions that did
not change since the last export into the same folder are not written again. A
file that annals did not write is left alone, unless --force is given.

Examples:
  # One page that can be opened or sent
  annals export 190c --to pages

  # All sessions of a project, without secrets, with a list of them
  annals export --project shop --redact --to pages

  # What was asked and answered, as Markdown, to standard output
  annals export last --as markdown --detail no-tools --to -";

/// `annals export`
#[derive(Debug, clap::Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// Sessions: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION", required_unless_present_any = ["all", "project"])]
    pub(crate) sessions: Vec<String>,
    /// All sessions of the store
    #[arg(long, conflicts_with_all = ["sessions", "project"])]
    pub(crate) all: bool,
    /// All sessions of the projects whose path contains this
    #[arg(long, value_name = "PROJECT", conflicts_with = "sessions")]
    pub(crate) project: Option<String>,
    /// The folder to write to, or `-` for standard output; a bundle may be a file
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// The format
    #[arg(long = "as", value_enum, default_value_t = ExportFormat::Html, value_name = "FORMAT")]
    pub(crate) form: ExportFormat,
    /// How much of each conversation
    #[arg(long, value_enum, default_value_t = ExportDetail::Full, value_name = "DETAIL")]
    pub(crate) detail: ExportDetail,
    /// Replace secrets with placeholders, and leave out images
    #[arg(long)]
    pub(crate) redact: bool,
    /// Include sub-agents, under the calls that started them
    #[arg(long)]
    pub(crate) include_agents: bool,
    /// Write everything again, even over files that annals did not write
    #[arg(long)]
    pub(crate) force: bool,
}

/// The formats that `annals export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A page that works offline
    Html,
    /// A Markdown document
    Markdown,
    /// One plain chat message per line, as JSON
    Json,
    /// Text for people
    Text,
    /// The session with all its files in one, for `annals import`
    Bundle,
}

impl ExportFormat {
    /// The ending of its files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json => "jsonl",
            Self::Text => "txt",
            Self::Bundle => "bundle",
        }
    }

    /// The format of files with this ending.
    pub(crate) fn of_extension(ending: &str) -> Option<Self> {
        let is_named = |form: &Self| form.extension() == ending;
        Self::value_variants().iter().copied().find(is_named)
    }
}

/// How much of a conversation is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportDetail {
    /// Everything
    Full,
    /// Prompts and replies, without tools
    NoTools,
    /// Only prompts
    Prompts,
}
