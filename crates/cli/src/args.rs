//! The command line as types. Doc comments are what `--help` prints.

mod archive;
mod change;
mod chat;
mod collect;
mod config;
mod copy;
mod cost;
mod export;
mod files;
mod help;
mod hook;
mod import;
mod lazy;
mod lenient;
mod mcp;
mod mock_api;
mod projects;
mod read;
mod receive;
mod redact;
mod repair;
mod rewind;
mod sdk;
mod search;
mod serve;
mod show;
mod shrink;
mod team;
mod trash;
mod tui;

pub(crate) use archive::*;
pub(crate) use change::*;
pub(crate) use chat::*;
pub(crate) use collect::*;
pub(crate) use config::*;
pub(crate) use copy::*;
pub(crate) use cost::*;
pub(crate) use export::*;
pub(crate) use files::*;
pub(crate) use help::*;
pub(crate) use hook::*;
pub(crate) use import::*;
pub(crate) use lazy::{LazyArgs, command_line_of};
pub(crate) use lenient::parse_leniently;
pub(crate) use mcp::*;
pub(crate) use mock_api::*;
pub(crate) use projects::*;
pub(crate) use read::*;
pub(crate) use receive::*;
pub(crate) use redact::*;
pub(crate) use repair::*;
pub(crate) use rewind::*;
pub(crate) use sdk::*;
pub(crate) use search::*;
pub(crate) use serve::*;
pub(crate) use show::*;
pub(crate) use shrink::*;
pub(crate) use team::*;
pub(crate) use trash::*;
pub(crate) use tui::*;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::remote::Question;

/// Read, search, price and change the sessions that Claude Code keeps.
#[derive(Debug, Parser)]
#[command(name = "annals", version, infer_subcommands = false, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// What is asked of a server instead of being done here.
    #[arg(skip)]
    pub(crate) question: Option<Question>,
}

/// Options of every command.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Read this store; may be repeated [default: $CLAUDE_CONFIG_DIR, else ~/.claude and ~/.config/claude]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) config_dir: Vec<PathBuf>,
    /// Keep index, journal and vault here [default: $ANNALS_DATA_DIR, else per platform]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Override built-in prices with this file [default: DATA_DIR/prices.json]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use color; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Do not send long output through a pager ($PAGER, else less)
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Print less
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// When to use color. The values have no help of their own: with it clap would print every option of every page in long form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// The commands. The first line of each is what the list of commands prints: at most ten words, imperative.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List sessions, newest first
    #[command(visible_alias = "list")]
    Ls(LazyArgs<LsArgs>),
    /// Show a session as text, Markdown, HTML or JSON
    Show(ShowArgs),
    /// Export sessions as HTML, Markdown, JSON or text files
    Export(LazyArgs<ExportArgs>),
    /// Browse sessions in full screen
    Tui(LazyArgs<TuiArgs>),
    /// Follow a session as it is written
    Tail(LazyArgs<TailArgs>),
    /// Search the text of all sessions
    #[command(visible_alias = "grep")]
    Search(LazyArgs<SearchArgs>),
    /// Show sessions in the browser
    Serve(LazyArgs<ServeArgs>),
    /// Bring the index up to date
    Index(LazyArgs<IndexArgs>),
    /// Query the index with SQL
    Sql(LazyArgs<SqlArgs>),
    /// Check whether sessions resume, and list what is broken
    Check(LazyArgs<CheckArgs>),
    /// Report versions, stores and folders, and what is wrong
    Doctor(LazyArgs<DoctorArgs>),
    /// List records and fields that annals does not recognise
    Drift(LazyArgs<DriftArgs>),
    /// Report tokens and cost by day, session, model or tool
    #[command(visible_alias = "cost")]
    Usage(LazyArgs<UsageArgs>),
    /// Report activity: turns, tools, files, days and hours
    Stats(LazyArgs<StatsArgs>),
    /// Show todo lists and tasks, or set a todo list
    Todos(TodosArgs),
    /// Show plans
    Plans(LazyArgs<PlansArgs>),
    /// List prompts from history.jsonl
    History(LazyArgs<HistoryArgs>),
    /// List files that sessions touched, or versions of one
    Files(LazyArgs<FilesArgs>),
    /// Create a session for a program to append to
    New(LazyArgs<NewArgs>),
    /// Append messages from standard input to a session
    Append(LazyArgs<AppendArgs>),
    /// Set the title of a session
    Rename(LazyArgs<RenameArgs>),
    /// Set the tag of a session
    Tag(LazyArgs<TagArgs>),
    /// Copy a session under new ids
    Clone(LazyArgs<CloneArgs>),
    /// Import a session from a bundle
    Import(LazyArgs<ImportArgs>),
    /// Branch a new session off any point of another
    Fork(LazyArgs<ForkArgs>),
    /// Remove tool output, thinking or images from a session
    Strip(LazyArgs<StripArgs>),
    /// Replace older turns of a session with a summary
    Compress(LazyArgs<CompressArgs>),
    /// Repair a damaged session
    Repair(LazyArgs<RepairArgs>),
    /// Re-attach sessions after a project folder was moved or renamed
    MoveProject(LazyArgs<MoveProjectArgs>),
    /// Join the two halves of a split session
    Merge(LazyArgs<MergeArgs>),
    /// Move all sessions of a project to the trash
    ResetProject(LazyArgs<ResetProjectArgs>),
    /// Replace secrets in a session with placeholders
    Redact(LazyArgs<RedactArgs>),
    /// Move sessions to the trash, list it, or empty it
    #[command(visible_aliases = ["rm", "delete"])]
    Trash(LazyArgs<TrashArgs>),
    /// Restore a session from the trash or the vault
    Restore(LazyArgs<RestoreArgs>),
    /// Archive sessions before the client deletes them
    Archive(LazyArgs<ArchiveArgs>),
    /// Send new records, redacted, to a file or a server
    Collect(LazyArgs<CollectArgs>),
    /// Receive sessions from a team's machines
    Receive(LazyArgs<ReceiveArgs>),
    /// Set up and maintain a team's database
    Team(TeamArgs),
    /// List leftovers that are safe to remove, or trash them
    Gc(LazyArgs<GcArgs>),
    /// Go back to before a prompt: files, conversation or both
    Rewind(LazyArgs<RewindArgs>),
    /// Revert a change that annals made
    Undo(LazyArgs<UndoArgs>),
    /// Chat with a model; sessions stay resumable in Claude Code
    Chat(LazyArgs<Box<ChatArgs>>),
    /// Manage MCP servers for chat; serve sessions to agents
    Mcp(McpArgs),
    /// Run as a client's hook: report recent work, archive
    Hook(HookArgs),
    /// Print or set keys of the configuration file
    Config(LazyArgs<ConfigArgs>),
    /// Serve a scripted Messages API on this machine
    MockApi(LazyArgs<MockApiArgs>),
    /// Write a made-up store to try things out
    Demo(LazyArgs<DemoArgs>),
    /// Print a completion script for a shell
    Completions(LazyArgs<CompletionsArgs>),
    /// Print the manual page
    #[command(after_help = MAN_EXAMPLES)]
    Man,
    /// Show help for a command or a topic
    Help(LazyArgs<HelpArgs>),
    /// Print candidates for the word that is being typed
    #[command(hide = true)]
    Complete(LazyArgs<CompleteArgs>),
    /// Measure how fast every line of the store is parsed
    #[command(hide = true)]
    Bench,
}

/// The option that may be repeated, before and after the command.
const STORE_OPTION: &str = "--config-dir";

/// Global options whose value is a word of its own.
const WITH_VALUE: [&str; 4] = ["--config-dir", "--data-dir", "--prices", "--color"];

/// The arguments with `annals resume SESSION` spelled out as `annals chat --resume SESSION`.
///
/// Stores that are named before the command are moved after it, to those that are named there: clap forgets the values of a
/// global option before a command if it has others after it.
pub(crate) fn spelled_out(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    let mut stores = Vec::new();
    while let Some(argument) =
        arguments.get(at).filter(|argument| argument.as_encoded_bytes().starts_with(b"-"))
    {
        let length = if WITH_VALUE.iter().any(|option| argument == *option) { 2 } else { 1 };
        let is_store = argument == STORE_OPTION
            || argument.as_encoded_bytes().starts_with(format!("{STORE_OPTION}=").as_bytes());
        if is_store {
            stores.push(at..(at + length).min(arguments.len()));
        }
        at += length;
    }
    let is_store = |argument: &OsString| argument.as_encoded_bytes().starts_with(STORE_OPTION.as_bytes());
    if arguments.iter().skip(at + 1).any(is_store) {
        let moved: Vec<OsString> =
            stores.iter().flat_map(|range| arguments[range.clone()].to_vec()).collect();
        let behind = at + 1;
        arguments.splice(behind..behind, moved);
        for range in stores.into_iter().rev() {
            at -= range.len();
            arguments.drain(range);
        }
    }
    if arguments.get(at).is_some_and(|argument| argument == "resume") {
        arguments.splice(at..=at, ["chat".into(), "--resume".into()]);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resume_is_a_chat() {
        for (typed, meant) in [
            ("annals resume", "annals chat --resume"),
            ("annals --color never --json resume 190c", "annals --color never --json chat --resume 190c"),
            ("annals show resume", "annals show resume"),
            ("annals --config-dir resume ls", "annals --config-dir resume ls"),
            ("annals", "annals"),
            (
                "annals --config-dir a --json ls --config-dir b",
                "annals --json ls --config-dir a --config-dir b",
            ),
            ("annals --config-dir=a ls x --config-dir=b", "annals ls --config-dir=a x --config-dir=b"),
            ("annals --config-dir a ls", "annals --config-dir a ls"),
            ("annals --config-dir a --config-dir b", "annals --config-dir a --config-dir b"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(spelled_out(words(typed)), words(meant));
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn a_lazy_command_keeps_its_description_when_it_is_built() {
        use clap::CommandFactory;
        let listed = Args::command();
        let mut built = Args::command();
        built.build();
        for command in listed.get_subcommands() {
            let about = command.get_about().map(ToString::to_string);
            assert!(about.is_some(), "{}", command.get_name());
            let later = built.find_subcommand(command.get_name()).and_then(clap::Command::get_about);
            assert_eq!(later.map(ToString::to_string), about, "{}", command.get_name());
        }
    }
}
