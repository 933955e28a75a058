//! The arguments of the commands that read.

use std::path::PathBuf;

use annals_transcript::resume::Client;
use clap::{Subcommand, ValueEnum};

use super::changing::{SET_EXAMPLES, TodosSetArgs};

/// `annals ls`
#[derive(Debug, clap::Args)]
pub(crate) struct LsArgs {
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only sessions written to on or after this day
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only sessions written to on or before this day
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
    /// At most so many [default: 20 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Turns, sub-agents, tokens and cost too: quick with an index (`annals index`), else every file is read whole
    #[arg(short, long)]
    pub(crate) long: bool,
    /// Also empty files and warm-up stubs, and no limit
    #[arg(long)]
    pub(crate) all: bool,
}

/// What sessions are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortKey {
    /// Newest written to first
    Modified,
    /// Newest begun first
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

/// `annals show`
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// The form
    #[arg(long = "as", value_enum, default_value_t = Form::Transcript, value_name = "FORM")]
    pub(crate) form: Form,
    /// Whose rules decide what is sent on resume (form `api`) [default: the newest known]
    #[arg(long, value_name = "VERSION")]
    pub(crate) client: Option<Client>,
    /// Show long outputs whole
    #[arg(long)]
    pub(crate) full: bool,
    /// Leave out what the model thought
    #[arg(long)]
    pub(crate) no_thinking: bool,
    /// Leave out what sub-agents did
    #[arg(long)]
    pub(crate) no_agents: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// Which plain messages: options of `annals show --as messages`
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --as messages")]
pub(crate) struct MessageArgs {
    /// Only the last so many, after all other options
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Only lines written on or after this day
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only lines written on or before this day
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only one kind
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) only: Option<MessageKind>,
    /// No lines that call a tool or bring a tool's result
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// No notices of the client and no attachments
    #[arg(long)]
    pub(crate) no_system: bool,
    /// The branch that ends with this record, instead of the live one
    #[arg(long, value_name = "UUID")]
    pub(crate) up_to: Option<String>,
}

impl MessageArgs {
    /// The first option that is given, as it is typed.
    pub(crate) fn first_used(&self) -> Option<&'static str> {
        let used = [
            ("--last", self.last.is_some()),
            ("--since", self.since.is_some()),
            ("--until", self.until.is_some()),
            ("--only", self.only.is_some()),
            ("--no-tools", self.no_tools),
            ("--no-system", self.no_system),
            ("--up-to", self.up_to.is_some()),
        ];
        used.into_iter().find_map(|(option, is_used)| is_used.then_some(option))
    }
}

/// The kinds of plain messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageKind {
    /// What people asked
    Prompts,
    /// What the model said and thought
    Replies,
    /// Calls of tools and their results
    Tools,
    /// Notices of the client and attachments
    System,
}

/// The forms of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Transcript,
    /// The file, byte for byte, put together from parsed lines
    Raw,
    /// One JSON object a record: line, offset, length, kind, uuid, parent, role, blocks, problems
    Records,
    /// One plain chat message a line, as JSON: the branch that resume takes, from its first line to its last, with what
    /// compactions hid; `records` in it is what it takes to get the file's records back
    Messages,
    /// What the client would send on resume
    Api,
    /// The turns, from prompt to prompt
    Turns,
    /// The tool calls with their results
    Tools,
    /// The sub-agents and what started them
    Agents,
    /// The conversation as a graph: segments, branches, leaves
    Tree,
    /// Tokens and cost
    Usage,
    /// How many records, messages, prompts, calls, errors and tokens, over the session's own file
    Counts,
    /// A Markdown document
    Markdown,
}

/// `annals tail`
#[derive(Debug, clap::Args)]
pub(crate) struct TailArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// So many of the last records first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) lines: usize,
    /// How changes are noticed; for measuring
    #[arg(long, value_enum, default_value_t = NoticeBy::Best, value_name = "WAY", hide = true)]
    pub(crate) notice_by: NoticeBy,
}

/// How changes of a file are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoticeBy {
    /// By events where they can be had
    Best,
    /// By events of the system
    Events,
    /// By looking again and again
    Polling,
}

/// `annals check`
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Which sessions
    #[arg(value_name = "SESSION", required_unless_present = "all")]
    pub(crate) sessions: Vec<String>,
    /// Every session of the store, and its side files: orphans, stale index entries, empty and warm-up files
    #[arg(long)]
    pub(crate) all: bool,
}

/// `annals todos`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TodosArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TodosCommand>,
    /// Only those of one session
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Also lists without an open item
    #[arg(long)]
    pub(crate) all: bool,
}

/// What to do with todo lists besides showing them.
#[derive(Debug, Subcommand)]
pub(crate) enum TodosCommand {
    /// Replace the todo list of a session by a JSON list of items
    #[command(after_help = SET_EXAMPLES)]
    Set(TodosSetArgs),
}

/// `annals plans`
#[derive(Debug, clap::Args)]
pub(crate) struct PlansArgs {
    /// Show this plan
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// `annals history`
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// Only prompts that contain this
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Only projects whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// At most so many of the newest [default: 50 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// `annals demo`
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Where to write it; must be empty or not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// So many sessions [default: about 25, one of each kind]
    #[arg(long, value_name = "N", conflicts_with = "bytes")]
    pub(crate) sessions: Option<u32>,
    /// So many bytes, such as 500M or 1G
    #[arg(long, value_name = "N", value_parser = parse_bytes)]
    pub(crate) bytes: Option<u64>,
    /// Another seed gives another store
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// `annals completions`
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
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
