//! The arguments of the commands that make sessions smaller: `strip` and `compress`.

use super::ConfirmArgs;

const STRIP_EXAMPLES: &str = "\
Tool calls are removed with their results, and so are replies that would hold
only thinking; the rest is relinked. Recorded usage stays as it was. Files of
sub-agents are not touched. `annals undo` reverts it.

Examples:
  # Show which lines would change
  annals strip a1a9 --large-results 2000 --dry-run

  # Replace the results of two tools with placeholders, in older turns
  annals strip a1a9 --tools Bash,Read --keep-calls --older-than-turns 10

  # Keep only what people and the model said to each other
  annals strip a1a9 --tools all --thinking";

/// `annals strip`
#[derive(Debug, clap::Args)]
#[command(after_help = STRIP_EXAMPLES)]
pub(crate) struct StripArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Remove tool calls and their results: `all`, or tool names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// With --tools: keep the calls, and replace each result with a short placeholder
    #[arg(long, requires = "tools")]
    pub(crate) keep_calls: bool,
    /// Remove thinking
    #[arg(long)]
    pub(crate) thinking: bool,
    /// Replace each image with a short placeholder
    #[arg(long)]
    pub(crate) images: bool,
    /// Remove progress of tools and hooks, which no model sees
    #[arg(long)]
    pub(crate) progress: bool,
    /// Remove what the client attached to prompts
    #[arg(long)]
    pub(crate) attachments: bool,
    /// Replace the text of results larger than this with a short placeholder
    #[arg(long, value_name = "BYTES")]
    pub(crate) large_results: Option<usize>,
    /// Only in turns before the last N
    #[arg(long, value_name = "N", conflicts_with = "oldest_percent")]
    pub(crate) older_than_turns: Option<usize>,
    /// Only in the oldest part of the turns
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) oldest_percent: Option<u8>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const COMPRESS_EXAMPLES: &str = "\
Without --model the summary is made here: prompts word for word; an extract of
replies, files, commands, errors and todos. With it, the older turns are sent
to the API (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL), also by --dry-run, which
costs money. The summarized turns stay in the file, where `annals show` finds
them; clients no longer send them. `annals undo` reverts it.

Examples:
  # Summarize all but the last five turns
  annals compress a1a9

  # Show what every client would send before and after
  annals compress a1a9 --keep-turns 1 --dry-run";

/// `annals compress`
#[derive(Debug, clap::Args)]
#[command(after_help = COMPRESS_EXAMPLES)]
pub(crate) struct CompressArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Keep the last N turns as they are
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep_turns: u32,
    /// Let this model write the summary: opus, sonnet, haiku, or a full name
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}
