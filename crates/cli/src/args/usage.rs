//! The arguments of `annals usage` and `annals stats`.

use clap::ValueEnum;

pub(crate) const USAGE_EXAMPLES: &str = "\
Examples:
  annals usage                            tokens and cost, day by day
  annals usage --by month --project shop  what a project costs
  annals usage --by session --since 7d    the sessions of the last week
  annals usage --by block                 5-hour blocks; how fast the running one is used up
  annals usage --by tool                  what the results of each tool cost to carry along
  annals usage --compare                  beside what the client itself has noted
  annals usage --statusline               one line for a shell prompt or the client's status line

A response counts once over the whole store, in the file where it appeared first. Prices are those of
the built-in table, or of --prices FILE; models that have none are named and not guessed. How it is
counted: docs/usage.md.

In the client's settings.json:
  \"statusLine\": {\"type\": \"command\", \"command\": \"annals usage --statusline\"}";

pub(crate) const STATS_EXAMPLES: &str = "\
Examples:
  annals stats                   the whole store
  annals stats --since 30d       the last month
  annals stats --project shop    one project";

/// What is looked at: options of `usage` and `stats`
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SelectionArgs {
    /// Only what came on or after this day
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only what came on or before this day
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// The time zone of days and hours, such as Europe/Berlin or UTC [default: the machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) tz: Option<String>,
}

/// `annals usage`
#[derive(Debug, clap::Args)]
pub(crate) struct UsageArgs {
    /// What to sum by
    #[arg(long, value_enum, default_value_t = UsageBy::Day, value_name = "KEY")]
    pub(crate) by: UsageBy,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Compute from the files, without the index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Beside stats-cache.json and the cost-state records, with the differences explained
    #[arg(long, conflicts_with_all = ["by", "statusline"])]
    pub(crate) compare: bool,
    /// One line: this session, today, the 5-hour block, the context; takes the client's JSON on standard input
    #[arg(long, conflicts_with_all = ["by", "since", "until", "project", "model"])]
    pub(crate) statusline: bool,
}

/// What usage is summed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageBy {
    /// Days
    Day,
    /// Weeks, by their Mondays
    Week,
    /// Months
    Month,
    /// Hours of the clock
    Hour,
    /// Sessions, with their sub-agents
    Session,
    /// Projects
    Project,
    /// Models
    Model,
    /// Tools: what their results cost to carry in the context
    Tool,
    /// Sub-agents, and the conversations themselves
    Agent,
    /// 5-hour billing blocks
    Block,
}

impl UsageBy {
    /// The word that is typed.
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
        }
    }
}

/// `annals stats`
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// So many rows of each list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Read every file, also those that did not change since the last time
    #[arg(long)]
    pub(crate) no_index: bool,
}
