//! The command line as types. Doc comments are what `--help` prints.

mod archive;
mod change;
mod chat;
mod collect;
mod copy;
mod cost;
mod help;
mod lazy;
mod mock_api;
mod projects;
mod read;
mod redact;
mod repair;
mod rewind;
mod search;
mod show;
mod shrink;
mod trash;

pub(crate) use archive::*;
pub(crate) use change::*;
pub(crate) use chat::*;
pub(crate) use collect::*;
pub(crate) use copy::*;
pub(crate) use cost::*;
pub(crate) use help::*;
pub(crate) use lazy::LazyArgs;
pub(crate) use mock_api::*;
pub(crate) use projects::*;
pub(crate) use read::*;
pub(crate) use redact::*;
pub(crate) use repair::*;
pub(crate) use rewind::*;
pub(crate) use search::*;
pub(crate) use show::*;
pub(crate) use shrink::*;
pub(crate) use trash::*;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Read, search, price and change the sessions that Claude Code keeps.
#[derive(Debug, Parser)]
#[command(name = "annals", version, infer_subcommands = false, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Read this store [default: $CLAUDE_CONFIG_DIR, else ~/.claude]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) config_dir: Option<PathBuf>,
    /// Keep index, journal and vault here [default: $ANNALS_DATA_DIR, else per platform]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Override built-in prices with this file [default: DATA_DIR/prices.json]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use color; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
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
    /// Show a session as text, Markdown or JSON
    Show(ShowArgs),
    /// Follow a session as it is written
    Tail(LazyArgs<TailArgs>),
    /// Search the text of all sessions
    #[command(visible_alias = "grep")]
    Search(LazyArgs<SearchArgs>),
    /// Bring the index up to date
    Index(LazyArgs<IndexArgs>),
    /// Query the index with SQL
    Sql(LazyArgs<SqlArgs>),
    /// Check whether sessions resume, and list what is broken
    Check(LazyArgs<CheckArgs>),
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
    /// Keep sessions in the vault before the client deletes them
    Archive(LazyArgs<ArchiveArgs>),
    /// Send new records, redacted, to a file or a server
    Collect(LazyArgs<CollectArgs>),
    /// List leftovers that are safe to remove, or trash them
    Gc(LazyArgs<GcArgs>),
    /// Go back to before a prompt: files, conversation or both
    Rewind(LazyArgs<RewindArgs>),
    /// Revert a change that annals made
    Undo(LazyArgs<UndoArgs>),
    /// Chat with a model; sessions stay resumable in Claude Code
    Chat(LazyArgs<Box<ChatArgs>>),
    /// Serve a scripted Messages API on this machine
    MockApi(LazyArgs<MockApiArgs>),
    /// Write a made-up store to try things on
    Demo(LazyArgs<DemoArgs>),
    /// Print a completion script for a shell
    Completions(LazyArgs<CompletionsArgs>),
    /// Print the manual page
    #[command(after_help = MAN_EXAMPLES)]
    Man,
    /// Show help for a command or a topic
    Help(LazyArgs<HelpArgs>),
    /// Measure how fast every line of the store is parsed
    #[command(hide = true)]
    Bench,
}

/// Global options whose value is a word of its own.
const WITH_VALUE: [&str; 4] = ["--config-dir", "--data-dir", "--prices", "--color"];

/// The arguments with `annals resume SESSION` spelled out as `annals chat --resume SESSION`.
pub(crate) fn spelled_out(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(argument) =
        arguments.get(at).filter(|argument| argument.as_encoded_bytes().starts_with(b"-"))
    {
        at += if WITH_VALUE.iter().any(|option| argument == *option) { 2 } else { 1 };
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
