//! The arguments of the commands that write to one session: `new`, `append`, `rename`, `tag`, `todos set`; and of
//! `reset-project` and `undo`.

use std::path::PathBuf;

/// The options of every command that changes something.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ConfirmArgs {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask; required if there is no terminal to ask on
    #[arg(short, long)]
    pub(crate) yes: bool,
}

pub(super) const SET_EXAMPLES: &str = "\
An item is a string (pending), or an object with `content`, `status` (pending,
in_progress or completed) and optionally `activeForm`. Other fields are kept.

Examples:
  # Two items, one of them done
  echo '[\"a\",{\"content\":\"b\",\"status\":\"completed\"}]' | annals todos set last

  # Clear a list
  echo '[]' | annals todos set 190c --yes";

/// `annals todos set`
#[derive(Debug, clap::Args)]
pub(crate) struct TodosSetArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Set the list of this sub-agent [default: the session's own]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Read the items from this file; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const NEW_EXAMPLES: &str = "\
Examples:
  # A session of this folder; prints its id
  annals new

  # With a title, for another folder
  annals new --title 'Nightly run' --cwd /srv/app";

/// `annals new`
#[derive(Debug, clap::Args)]
#[command(after_help = NEW_EXAMPLES)]
pub(crate) struct NewArgs {
    /// The working directory of the session [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The id, a UUID [default: random]
    #[arg(long, value_name = "UUID")]
    pub(crate) session_id: Option<String>,
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// The git branch [default: the one checked out in the working directory]
    #[arg(long, value_name = "NAME")]
    pub(crate) git_branch: Option<String>,
    /// Write the format of this client release
    #[arg(long, value_name = "VERSION", default_value = annals_store::session::WRITTEN_FORM)]
    pub(crate) client_version: String,
    /// The entrypoint: session pickers list `cli` and hide `sdk-cli`
    #[arg(long, value_name = "WORD", default_value = "cli")]
    pub(crate) entrypoint: String,
}

const APPEND_EXAMPLES: &str = "\
Standard input has one JSON object per line: a record of the format (with a
`type`), or a plain message:

  {\"role\":\"user\"|\"assistant\"|\"system\", \"content\":text or blocks,
   \"model\"?, \"usage\"?, \"stop_reason\"?, \"timestamp\"?, \"id\"?, \"requestId\"?,
   \"uuid\"?, \"parentUuid\"?, \"metadata\"?}

Missing fields are filled in: ids, parent, time, session, version, branch.
Each line gets a one-line answer once its record is on disk:
{\"uuid\":…,\"parentUuid\":…}, or {\"error\":…,\"line\":N} if it was not written.
The next record follows the last one that was written.

Examples:
  # One message
  echo '{\"role\":\"user\",\"content\":\"hello\"}' | annals append last

  # Copy a conversation into a new session
  annals show 190c --as messages | annals append \"$(annals new --quiet)\"

  # Continue in a copy, even while a client writes to the session
  echo '{\"role\":\"user\",\"content\":\"hi\"}' | annals append 190c --fork";

/// `annals append`
#[derive(Debug, clap::Args)]
#[command(after_help = APPEND_EXAMPLES)]
pub(crate) struct AppendArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Answer every line as if it were written, and write nothing
    #[arg(long, conflicts_with_all = ["fork", "agent"])]
    pub(crate) dry_run: bool,
    /// Append to a copy of the conversation, in a new session
    #[arg(long)]
    pub(crate) fork: bool,
    /// With --fork: continue from this record (id or prefix) instead of the end
    #[arg(long, value_name = "UUID", requires = "fork")]
    pub(crate) at: Option<String>,
    /// Wait at most this long for other writers, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub(crate) wait: f64,
    /// Append to the file of this sub-agent; created if absent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// With --agent: its type
    #[arg(long, value_name = "TYPE", requires = "agent")]
    pub(crate) agent_type: Option<String>,
    /// With --agent: its description
    #[arg(long, value_name = "TEXT", requires = "agent")]
    pub(crate) description: Option<String>,
    /// With --agent: the tool call that started it
    #[arg(long, value_name = "ID", requires = "agent")]
    pub(crate) tool_use: Option<String>,
    /// With --agent: the sub-agent that started it [default: the session itself]
    #[arg(long, value_name = "ID", requires = "agent")]
    pub(crate) parent_agent: Option<String>,
    /// The working directory of the new lines [default: that of the last line]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Answer before records are on disk: faster, but a power loss may lose the last ones
    #[arg(long)]
    pub(crate) no_sync: bool,
    /// Add each prompt to history.jsonl too
    #[arg(long)]
    pub(crate) history: bool,
}

const RENAME_EXAMPLES: &str = "\
Examples:
  # Name the newest session of this folder
  annals rename last 'Release 4.2'

  # Remove the title again
  annals rename 190c '' --yes";

/// `annals rename`
#[derive(Debug, clap::Args)]
#[command(after_help = RENAME_EXAMPLES)]
pub(crate) struct RenameArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The new title; an empty one removes it
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const TAG_EXAMPLES: &str = "\
A session has one tag. `annals ls --tag TAG` lists the sessions that have it.

Examples:
  # Tag the newest session of this folder
  annals tag last release

  # Remove the tag again
  annals tag 190c '' --yes";

/// `annals tag`
#[derive(Debug, clap::Args)]
#[command(after_help = TAG_EXAMPLES)]
pub(crate) struct TagArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The tag; an empty one removes it
    #[arg(value_name = "TAG")]
    pub(crate) tag: String,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const RESET_EXAMPLES: &str = "\
`annals undo` brings the sessions back.

Examples:
  # Show what would be trashed for this folder's project
  annals reset-project --dry-run

  # Another project, by its folder
  annals reset-project /home/mira/work/ferrite --dry-run";

/// `annals reset-project`
#[derive(Debug, clap::Args)]
#[command(after_help = RESET_EXAMPLES)]
pub(crate) struct ResetProjectArgs {
    /// The project's working directory, or its folder name under projects/ [default: this folder]
    #[arg(value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const UNDO_EXAMPLES: &str = "\
Every command that changes the store records the change, and prints the id to
undo it with. `annals help changes` has more.

Examples:
  # Revert the last change
  annals undo

  # List the changes, with their ids
  annals undo --list";

/// `annals undo`
#[derive(Debug, clap::Args)]
#[command(after_help = UNDO_EXAMPLES)]
pub(crate) struct UndoArgs {
    /// The change to revert [default: the last one of the store]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// List the changes of the store, newest first
    #[arg(long, conflicts_with = "id")]
    pub(crate) list: bool,
    /// With --list: include changes of other stores
    #[arg(long, requires = "list")]
    pub(crate) all_stores: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}
