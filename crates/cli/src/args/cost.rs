//! The arguments of `annals usage` and `annals stats`.

use clap::ValueEnum;

use super::team::AtArgs;

const USAGE_EXAMPLES: &str = "\
Every response counts once over the whole store, in the file where it appeared
first. Models without a known price are listed, not guessed. `annals help
prices` explains how cost is computed and what a price file looks like.

For the client's status line, put this into its settings.json:
  \"statusLine\": {\"type\": \"command\", \"command\": \"annals usage --statusline\"}

Examples:
  # Cost by month of the projects whose path contains \"shop\"
  annals usage --by month --project shop

  # The most expensive sessions since a date
  annals usage --by session --since 2026-10-01

  # Compare with what the client itself recorded
  annals usage --compare";

const STATS_EXAMPLES: &str = "\
Examples:
  # The whole store
  annals stats

  # One project, with longer lists
  annals stats --project shop --limit 20";

/// The options that `usage` and `stats` share.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SelectionArgs {
    /// Only this date or later, such as 2026-01-03, 2026-10, 7d or 12h
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only this date or earlier
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// The time zone of days and hours, such as Europe/Berlin or UTC [default: the system's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<String>,
}

/// `annals usage`
#[derive(Debug, clap::Args)]
#[command(after_help = USAGE_EXAMPLES)]
pub(crate) struct UsageArgs {
    /// What to group by
    #[arg(long, value_enum, default_value_t = UsageBy::Day, value_name = "KEY")]
    pub(crate) by: UsageBy,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) at: AtArgs,
    /// Print whole numbers, such as 403,117, even if lines get wide
    #[arg(long)]
    pub(crate) exact: bool,
    /// Leave out the models under each day, week, month, hour or block
    #[arg(long)]
    pub(crate) no_models: bool,
    /// Read the files instead of the index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Compare with stats-cache.json and the cost-state records, and explain differences
    #[arg(long, conflicts_with_all = ["by", "statusline"])]
    pub(crate) compare: bool,
    /// Print one line: session, today, 5-hour block, context; reads the client's JSON from standard input
    #[arg(long, conflicts_with_all = ["by", "since", "until", "project", "model"])]
    pub(crate) statusline: bool,
}

/// What usage is grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageBy {
    /// Day
    Day,
    /// Week, named by its Monday
    Week,
    /// Month
    Month,
    /// Hour
    Hour,
    /// Session, including its sub-agents
    Session,
    /// Project
    Project,
    /// Model
    Model,
    /// Tool: what its results cost in the context
    Tool,
    /// Sub-agent, and the main conversation
    Agent,
    /// 5-hour billing block
    Block,
    /// Person, with --at
    Person,
    /// Team, with --at
    Team,
}

impl UsageBy {
    /// The option value.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Hour => "hour",
            Self::Session => "session",
            Self::Project => "project",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Block => "block",
            Self::Person => "person",
            Self::Team => "team",
        }
    }
}

/// `annals stats`
#[derive(Debug, clap::Args)]
#[command(after_help = STATS_EXAMPLES)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) at: AtArgs,
    /// Show at most N rows per list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Read every file, even unchanged ones
    #[arg(long)]
    pub(crate) no_index: bool,
}
