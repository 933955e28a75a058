//! The arguments of the commands that ask the index.

use clap::ValueEnum;

const QUERY_HELP: &str = "\
A query is words, all of which one message must have:
  parser bug              both words, in any order
  \"torn line\"             these words, one behind the other
  pars*                   words that begin so
  parser OR lexer         either
  'parser -lexer'         one and not the other (quoted, so that it is no option)
  getUserName, user_name  names of code; their parts are found too

and filters:
  tool:Bash  role:user  project:shop  session:3f2a  file:src/main.rs  error:true
  in:prompts  in:replies  in:thinking  in:tools
  since:2026-01-01  before:2026-02-01

Examples:
  annals search flaky test
  annals search '\"connection refused\" tool:Bash since:2026-10-01'
  annals search --exact 'fn main() {'";

/// `annals search`
#[derive(Debug, clap::Args)]
#[command(after_help = QUERY_HELP)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Letter for letter, as it stands: code, symbols, parts of words. Looks through the files themselves
    #[arg(long)]
    pub(crate) exact: bool,
    /// Only projects whose path or folder contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only what this one says: user, assistant, tool or system
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Only calls and results of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Where to look
    #[arg(long = "in", value_enum, default_value_t = SearchIn::All, value_name = "WHERE")]
    pub(crate) within: SearchIn,
    /// Only what was said on or after this day
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only what was said on or before this day
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchIn {
    /// What people asked
    Prompts,
    /// What the model answered
    Replies,
    /// What the model thought
    Thinking,
    /// What tools were asked and gave
    Tools,
    /// Everywhere
    All,
}

/// `annals index`
#[derive(Debug, clap::Args)]
pub(crate) struct IndexArgs {
    /// Go on following the store until stopped
    #[arg(long)]
    pub(crate) watch: bool,
    /// Throw the index away and make it anew
    #[arg(long, conflicts_with = "watch")]
    pub(crate) rebuild: bool,
    /// Forget files that are not there any more
    #[arg(long, conflicts_with = "watch")]
    pub(crate) prune: bool,
}

const SQL_HELP: &str = "\
Views: sessions, threads, projects, said (one row a block), calls (of tools), usage (what was billed), todos, prompts, plans,
file_versions, pull_requests, irregular. docs/search.md lists their columns. Times are milliseconds since 1970.

Examples:
  annals sql 'SELECT tool, count(*), sum(is_error) FROM calls GROUP BY tool ORDER BY 2 DESC'
  annals sql 'SELECT path, count(*) FROM calls WHERE tool = \"Edit\" GROUP BY path ORDER BY 2 DESC LIMIT 10'";

/// `annals sql`
#[derive(Debug, clap::Args)]
#[command(after_help = SQL_HELP)]
pub(crate) struct SqlArgs {
    /// One statement, which reads
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
}
