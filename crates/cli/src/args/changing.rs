//! The arguments of the commands that change something.

use std::path::PathBuf;

/// How sure the person must be.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Care {
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

pub(super) const SET_EXAMPLES: &str = "\
An item is a text, which is pending, or an object with `content` and `status` (pending,
in_progress or completed), and perhaps `activeForm`; other fields are kept as they are.

  echo '[\"write it\", {\"content\":\"plan it\",\"status\":\"completed\"}]' | annals todos set last";

/// `annals todos set`
#[derive(Debug, clap::Args)]
pub(crate) struct TodosSetArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The list of a sub-agent [default: that of the session itself]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Where the items are; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) care: Care,
}

const NEW_EXAMPLES: &str = "\
Examples:
  annals new                              a session of this folder; prints its id
  annals new --title 'Nightly run'        with a title
  id=$(annals new --quiet) && echo '{\"role\":\"user\",\"content\":\"hello\"}' | annals append \"$id\"";

/// `annals new`
#[derive(Debug, clap::Args)]
#[command(after_help = NEW_EXAMPLES)]
pub(crate) struct NewArgs {
    /// The working directory that the session is of [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Its id, a UUID [default: a random one]
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// Its title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Its tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// The git branch [default: the one that is checked out in the working directory]
    #[arg(long, value_name = "NAME")]
    pub(crate) git_branch: Option<String>,
    /// The client release whose form is written
    #[arg(long, value_name = "VERSION", default_value = annals_store::session::WRITTEN_FORM)]
    pub(crate) client_version: String,
    /// How the session is used: pickers list `cli`, and hide `sdk-cli`
    #[arg(long, value_name = "WORD", default_value = "cli")]
    pub(crate) entrypoint: String,
}

const APPEND_EXAMPLES: &str = "\
Standard input has one JSON object a line: a record of the format (it has a `type`), or a plain message:

  {\"role\":\"user\"|\"assistant\"|\"system\",\"content\":text or blocks,\"model\"?,\"usage\"?,\"stop_reason\"?,\"timestamp\"?,
   \"id\"?,\"requestId\"?,\"uuid\"?,\"parentUuid\"?,\"metadata\"?}

What is missing is filled in: ids, parent, time, session, version, branch. Each line is answered by one line, when the
record is on the disk: {\"uuid\":…,\"parentUuid\":…}, or {\"error\":…,\"line\":N} where it was not written. The next line
goes on from the last record that was.

Examples:
  echo '{\"role\":\"user\",\"content\":\"hello\"}' | annals append last
  annals show OLD --as messages | annals append NEW
  my-program | annals append 3f2a --fork     go on in a copy, whoever is writing to the session";

/// `annals append`
#[derive(Debug, clap::Args)]
#[command(after_help = APPEND_EXAMPLES)]
pub(crate) struct AppendArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Answer every line as if it were written, and write nothing
    #[arg(long, conflicts_with_all = ["fork", "agent"])]
    pub(crate) dry_run: bool,
    /// Go on in a copy of the conversation: a new session beside it
    #[arg(long)]
    pub(crate) fork: bool,
    /// With --fork: go on from this record instead of the end
    #[arg(long, value_name = "UUID", requires = "fork")]
    pub(crate) at: Option<String>,
    /// Wait so long for others to finish writing, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub(crate) wait: f64,
    /// Write to the file of this sub-agent of the session; it is made where it is not there
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// With --agent: what kind of agent it is
    #[arg(long, value_name = "TYPE", requires = "agent")]
    pub(crate) agent_type: Option<String>,
    /// With --agent: what it is for
    #[arg(long, value_name = "TEXT", requires = "agent")]
    pub(crate) description: Option<String>,
    /// With --agent: the tool call that started it
    #[arg(long, value_name = "ID", requires = "agent")]
    pub(crate) tool_use: Option<String>,
    /// Answer before the records are on the disk: faster, and a loss of power may take the last ones
    #[arg(long)]
    pub(crate) no_sync: bool,
    /// Note each prompt in history.jsonl too
    #[arg(long)]
    pub(crate) history: bool,
}

/// `annals rename`
#[derive(Debug, clap::Args)]
pub(crate) struct RenameArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The new title; an empty one takes the title back
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) care: Care,
}

/// `annals tag`
#[derive(Debug, clap::Args)]
pub(crate) struct TagArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The tag; an empty one takes it back
    #[arg(value_name = "TAG")]
    pub(crate) tag: String,
    #[command(flatten)]
    pub(crate) care: Care,
}

/// `annals reset-project`
#[derive(Debug, clap::Args)]
pub(crate) struct ResetProjectArgs {
    /// The working directory of the project, or its folder's name under projects/ [default: this folder]
    #[arg(value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    #[command(flatten)]
    pub(crate) care: Care,
}

/// `annals undo`
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// Which change [default: the last one]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// List the changes, newest first
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}
