//! The arguments of `annals show`.

use annals_transcript::resume::Client;
use clap::ValueEnum;

use super::team::AtArgs;

const SHOW_EXAMPLES: &str = "\
Examples:
  # Read the newest session of this folder
  annals show last

  # The same session as a document
  annals show 190c --as markdown

  # The same session as a page, which works offline
  annals show 190c --as html > session.html

  # The conversation around line 57, where search found something
  annals show 190c --around 57

  # The last four messages as JSON, without tools
  annals show 190c --as messages --no-tools --last 4";

/// `annals show`
#[derive(Debug, clap::Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct ShowArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The format
    #[arg(long = "as", value_enum, default_value_t = ShowFormat::Transcript, value_name = "FORMAT")]
    pub(crate) form: ShowFormat,
    /// With --as api: the client release whose rules apply [default: the newest known]
    #[arg(long, value_name = "VERSION")]
    pub(crate) client: Option<Client>,
    /// Show long tool output in full, including what is stored in other files
    #[arg(long)]
    pub(crate) full: bool,
    /// Hide thinking
    #[arg(long)]
    pub(crate) no_thinking: bool,
    /// Hide sub-agents
    #[arg(long)]
    pub(crate) no_agents: bool,
    /// Show only what is around this line of the file, or the record with this id
    #[arg(long, value_name = "LINE|UUID")]
    pub(crate) around: Option<String>,
    /// With --around: how many messages and calls before and after it
    #[arg(long, value_name = "N", default_value_t = 5, requires = "around")]
    pub(crate) context: usize,
    #[command(flatten)]
    pub(crate) at: AtArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// The options of `annals show --as messages`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --as messages")]
pub(crate) struct MessageArgs {
    /// Keep only the last N messages (applied last)
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Only lines from this date or later, such as 2026-01-03, 2026-10, 7d or 12h
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only lines from this date or earlier
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only this kind
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) only: Option<MessageKind>,
    /// Leave out tool calls and results
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// Leave out client notices and attachments
    #[arg(long)]
    pub(crate) no_system: bool,
    /// Leave out what the client wrote in the model's name, such as "No response requested."
    #[arg(long)]
    pub(crate) no_synthetic: bool,
    /// The branch that ends with this record (id or prefix) [default: the live branch]
    #[arg(long, value_name = "UUID")]
    pub(crate) up_to: Option<String>,
}

impl MessageArgs {
    /// Returns the first of these options that is given.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let used = [
            ("--last", self.last.is_some()),
            ("--since", self.since.is_some()),
            ("--until", self.until.is_some()),
            ("--only", self.only.is_some()),
            ("--no-tools", self.no_tools),
            ("--no-system", self.no_system),
            ("--no-synthetic", self.no_synthetic),
            ("--up-to", self.up_to.is_some()),
        ];
        used.into_iter().find_map(|(option, is_used)| is_used.then_some(option))
    }
}

/// The kinds of plain messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageKind {
    /// Prompts
    Prompts,
    /// The model's replies and thinking
    Replies,
    /// Tool calls and results
    Tools,
    /// Client notices and attachments
    System,
}

/// The formats that `annals show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Text for people
    Transcript,
    /// The file, byte for byte; on a terminal, without control characters
    Raw,
    /// One JSON object per record: line, offset, length, kind, uuid, parent, role, blocks, problems
    Records,
    /// One plain chat message per line, as JSON: the live branch, including what compactions hid
    Messages,
    /// The messages that a client would send on resume
    Api,
    /// Turns: prompt, duration, tools, tokens, cost
    Turns,
    /// Tool calls with their results
    Tools,
    /// Sub-agents and what started them
    Agents,
    /// The conversation as a tree: segments, branches, leaves
    Tree,
    /// Tokens and cost
    Usage,
    /// Counts of records, messages, prompts, calls, errors and tokens
    Counts,
    /// A Markdown document
    Markdown,
    /// A page that works offline
    Html,
}
