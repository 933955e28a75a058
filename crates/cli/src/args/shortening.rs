//! The arguments of the commands that make sessions shorter.

use super::Care;

const STRIP_EXAMPLES: &str = "\
Examples:
  annals strip last --tools all --thinking             what people and the model said to each other stays
  annals strip 3f2a --tools Bash,Read --keep-calls     a few words stand for what these tools brought
  annals strip 3f2a --tools all --older-than-turns 10  the last ten turns stay as they are
  annals strip 3f2a --images --large-results 20000     words stand for images and long results
  annals strip 3f2a --progress --dry-run               what would go, line by line

Calls go with their results, and replies of which only thinking is left; the rest is linked anew. Usage stays as it was
counted, and no longer says what a request would cost. Files of sub-agents are not touched. annals undo takes it back.";

/// `annals strip`
#[derive(Debug, clap::Args)]
#[command(after_help = STRIP_EXAMPLES)]
pub(crate) struct StripArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Calls of tools and their results: `all`, or names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// With --tools: calls stay, and a few words stand for their results
    #[arg(long, requires = "tools")]
    pub(crate) keep_calls: bool,
    /// What the model thought
    #[arg(long)]
    pub(crate) thinking: bool,
    /// Images; a few words stand for each
    #[arg(long)]
    pub(crate) images: bool,
    /// Progress of tools and hooks, which no model sees
    #[arg(long)]
    pub(crate) progress: bool,
    /// What the client showed the model beside prompts
    #[arg(long)]
    pub(crate) attachments: bool,
    /// Text of results of more than so many bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) large_results: Option<usize>,
    /// Only from turns older than the last so many
    #[arg(long, value_name = "TURNS", conflicts_with = "oldest_percent")]
    pub(crate) older_than_turns: Option<usize>,
    /// Only from the oldest so many percent of the turns
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) oldest_percent: Option<u8>,
    #[command(flatten)]
    pub(crate) care: Care,
}

const COMPRESS_EXAMPLES: &str = "\
Examples:
  annals compress last                    all but the last five turns become a summary
  annals compress 3f2a --keep-turns 1     all but the last one
  annals compress 3f2a --dry-run          what every client would send before and after

  annals compress 3f2a --model haiku      a model writes the summary, which is shown before anything is written

Without --model the summary is made here: prompts word for word; of replies, files, commands, errors and todos an extract.
With it, the older turns are sent to the API (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL), by --dry-run as well: it costs.
What is summed up stays in the file, where `annals show` finds it; clients no longer send it. annals undo takes it back.";

/// `annals compress`
#[derive(Debug, clap::Args)]
#[command(after_help = COMPRESS_EXAMPLES)]
pub(crate) struct CompressArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// So many of the last turns stay as they are
    #[arg(long, value_name = "TURNS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep_turns: u32,
    /// This model writes the summary: opus, sonnet, haiku, or a full name
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) care: Care,
}
