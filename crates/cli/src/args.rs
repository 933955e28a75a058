//! The command line, as types. What it says here is what `--help` teaches.

mod changing;
mod chat;
mod collect;
mod copying;
mod finding;
mod later;
mod mock_api;
mod placing;
mod reading;
mod redact;
mod repair;
mod rewind;
mod shortening;
mod trash;
mod usage;
mod vault;

pub(crate) use changing::*;
pub(crate) use chat::*;
pub(crate) use collect::*;
pub(crate) use copying::*;
pub(crate) use finding::*;
pub(crate) use later::Later;
pub(crate) use mock_api::*;
pub(crate) use placing::*;
pub(crate) use reading::*;
pub(crate) use redact::*;
pub(crate) use repair::*;
pub(crate) use rewind::*;
pub(crate) use shortening::*;
pub(crate) use trash::*;
pub(crate) use usage::*;
pub(crate) use vault::*;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  annals                            your store at a glance
  annals ls --project shop          the sessions of a project
  annals show last                  read the newest session of this folder
  annals show 3f2a --as markdown    the same as a document
  annals search flaky test          find what was said, in every session
  annals tail last                  watch it while it is written
  annals check last                 will it resume? what is broken, by line and byte
  annals usage --by month           tokens and cost
  annals tag last release           tag the newest session of this folder
  annals archive --all              keep every session before the client deletes it
  annals demo --out /tmp/demo       a made-up store to play with

SESSION is a path to a .jsonl file, a session id or the beginning of one (4 characters or
more), an exact title, or `last`: the newest session of this folder's project, else of the store.

Exit codes: 0 done, 1 nothing found, 2 wrong usage, 3 problems found in the data, 4 locked,
70 a fault of ours.";

/// Read, check, price and show the sessions that Claude Code keeps.
#[derive(Debug, Parser)]
#[command(name = "annals", version, about, after_help = EXAMPLES, infer_subcommands = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The store to read [default: $CLAUDE_CONFIG_DIR, else ~/.claude]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) config_dir: Option<PathBuf>,
    /// Our own folder for the index, prices and journals [default: $ANNALS_DATA_DIR, else the platform's]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Prices to lay over the built-in table [default: prices.json in the data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use color
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Say less
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// When to use color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List sessions, newest first
    Ls(Later<LsArgs>),
    /// Show a session: for people, or in one of the forms for programs
    Show(ShowArgs),
    /// Follow a session: its last records, then each new one as it is written
    Tail(Later<TailArgs>),
    /// Find what was said: words, phrases and filters over the index, or letter for letter
    Search(Later<SearchArgs>),
    /// Bring the index up to date, once or for as long as the store changes
    Index(Later<IndexArgs>),
    /// Ask the index by SQL, read-only
    Sql(Later<SqlArgs>),
    /// Does it resume? Lists problems by line and byte, and what each client version would keep and lose
    Check(Later<CheckArgs>),
    /// Tokens and cost: by day, week, month, session, project, model, tool, sub-agent or 5-hour block
    #[command(after_help = USAGE_EXAMPLES)]
    Usage(Later<UsageArgs>),
    /// What was done: turns and how long they took, tools and how often they failed, files, days and hours
    #[command(after_help = STATS_EXAMPLES)]
    Stats(Later<StatsArgs>),
    /// Show todo lists and tasks, or set a todo list
    Todos(TodosArgs),
    /// Show plans
    Plans(Later<PlansArgs>),
    /// Show the prompts of history.jsonl, newest last
    History(Later<HistoryArgs>),
    /// Begin a session, for a program that will append to it
    New(Later<NewArgs>),
    /// Append records or plain messages from standard input to a session
    Append(Later<AppendArgs>),
    /// Give a session a title
    Rename(Later<RenameArgs>),
    /// Give a session a tag
    Tag(Later<TagArgs>),
    /// Make a second session that says the same, under ids of its own
    Clone(Later<CloneArgs>),
    /// Make a session that goes on from a point of another
    Fork(Later<ForkArgs>),
    /// Take tools, thinking, images and the like out of a session
    Strip(Later<StripArgs>),
    /// Sum up the older turns of a session
    Compress(Later<CompressArgs>),
    /// Mend what is broken: torn lines, cut chains, halves of tool calls; what is whole stays byte for byte
    Repair(Later<RepairArgs>),
    /// Let the sessions of a folder that was moved or renamed follow it
    MoveProject(Later<MoveProjectArgs>),
    /// Make one session of the two halves of one that was split
    Merge(Later<MergeArgs>),
    /// Move all sessions of a project to the trash, from where `annals undo` brings them back
    ResetProject(Later<ResetProjectArgs>),
    /// Take secrets out of a session and all that belongs to it, or list them
    Redact(Later<RedactArgs>),
    /// Move sessions and all that belongs to them to the trash; list the trash, or empty it
    Trash(Later<TrashArgs>),
    /// Bring a session back from the trash, or list those that can come back
    Restore(Later<RestoreArgs>),
    /// Keep sessions for good, in the vault: clients delete them after 30 days
    Archive(Later<ArchiveArgs>),
    /// Send what is new in the store to a file, standard output or a receiver, after redaction
    Collect(Later<CollectArgs>),
    /// List what nobody needs any more, or move it to the trash
    Gc(Later<GcArgs>),
    /// Go back to before a prompt: files, conversation, or both
    Rewind(Later<RewindArgs>),
    /// Take back a change that annals made
    Undo(Later<UndoArgs>),
    /// Talk to a model: a client that writes what the original resumes
    Chat(Later<Box<ChatArgs>>),
    /// Serve a scripted Messages API on loopback, to try clients without a key
    MockApi(Later<MockApiArgs>),
    /// Write a made-up, realistic store to try things on
    Demo(Later<DemoArgs>),
    /// Print the completions of a shell
    Completions(Later<CompletionsArgs>),
    /// Print the manual page
    Man,
    /// Measure: parse every line of every session to typed records
    #[command(hide = true)]
    Bench,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn a_command_that_is_built_later_says_what_it_said_in_the_list() {
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
