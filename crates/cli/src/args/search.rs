//! The arguments of the commands that use the index: `search`, `index` and `sql`.

use clap::ValueEnum;

use super::team::AtArgs;

const SEARCH_EXAMPLES: &str = "\
A query is words that a message must all contain, with filters such as
`tool:Bash`, `project:shop` or `since:2026-01-01`. `annals help queries`
explains phrases, prefixes, OR, exclusions and all filters.

Examples:
  # Messages that contain both words
  annals search dedup table

  # A phrase, only in prompts
  annals search '\"dedup table\"' --in prompts

  # With two messages before and after each passage
  annals search 'tool:Bash panicked' --context 2

  # Exact text: code, symbols, parts of words
  annals search --exact 'dedup_tab'";

/// `annals search`
#[derive(Debug, clap::Args)]
#[command(after_help = SEARCH_EXAMPLES)]
pub(crate) struct SearchArgs {
    /// The query: words and filters
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Find exact text in the files themselves: code, symbols, parts of words
    #[arg(long)]
    pub(crate) exact: bool,
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only this role: user, assistant, tool or system
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Only calls and results of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Where to search
    #[arg(long = "in", value_enum, default_value_t = SearchScope::All, value_name = "WHERE")]
    pub(crate) within: SearchScope,
    /// Only messages from this date or later, such as 2026-01-03, 2026-10, 7d or 12h
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only messages from this date or earlier
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Show N messages before and after each passage
    #[arg(short = 'C', long, default_value_t = 0, value_name = "N")]
    pub(crate) context: usize,
    /// Show at most N sessions; with --json, N hits
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) at: AtArgs,
}

/// Where to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchScope {
    /// Prompts
    Prompts,
    /// The model's replies
    Replies,
    /// The model's thinking
    Thinking,
    /// Tool calls and their results
    Tools,
    /// Everywhere
    All,
}

const INDEX_EXAMPLES: &str = "\
Commands that need the index update it themselves; this one does it ahead of
time. The index is a cache and can be rebuilt at any time.

Examples:
  # Update it now
  annals index

  # Keep it up to date until Ctrl-C
  annals index --watch";

/// `annals index`
#[derive(Debug, clap::Args)]
#[command(after_help = INDEX_EXAMPLES)]
pub(crate) struct IndexArgs {
    /// Keep running, and update the index whenever the store changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// Delete the index and build it from scratch
    #[arg(long, conflicts_with = "watch")]
    pub(crate) rebuild: bool,
    /// Remove files that no longer exist
    #[arg(long, conflicts_with = "watch")]
    pub(crate) prune: bool,
}

const SQL_EXAMPLES: &str = "\
Views: sessions, threads, projects, blocks, tool_calls, usage, todos, prompts,
plans, file_versions, pull_requests, problems. `annals help views` lists their
columns. Times are milliseconds since 1970, UTC.

Examples:
  # The most used tools
  annals sql 'SELECT tool, count(*) FROM tool_calls GROUP BY 1 ORDER BY 2 DESC'

  # The most expensive sessions
  annals sql 'SELECT id, cost_usd FROM sessions ORDER BY 2 DESC LIMIT 5'";

/// `sql` logs in to the database: options of servers and tokens do not apply, and are refused with a hint.
const SQL_AT: &str = "Query a team's database: clickhouse+https://HOST:PORT/DATABASE; needs a database login";

/// `annals sql`
#[derive(Debug, clap::Args)]
#[command(after_help = SQL_EXAMPLES)]
#[command(mut_arg("at", |at| at.help(SQL_AT)))]
#[command(mut_arg("token_file", |option| option.hide(true)))]
#[command(mut_arg("person", |option| option.hide(true)))]
#[command(mut_arg("team", |option| option.hide(true)))]
#[command(mut_arg("machine", |option| option.hide(true)))]
pub(crate) struct SqlArgs {
    /// A single SELECT statement
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) at: AtArgs,
}
