//! The arguments of `annals redact`.

use annals_transcript::redact::SecretKind;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::ConfirmArgs;

const REDACT_EXAMPLES: &str = "\
Every secret becomes [REDACTED:kind:number], with one number per secret:
in the session, its sub-agents, every file of its folder, file copies, todos,
plans, files named after it, and its prompts in history.jsonl. Thinking that
contains one is removed whole. The search index is removed. The old bytes stay
in the trash of annals, for `annals undo`, until you empty it.

Examples:
  # List secrets, including those that stay; exit code 3 if there are any
  annals redact last --scan

  # Show what would change, by line, with a pattern of your own
  annals redact last --dry-run --pattern 'ACME-\\d+'

  # Replace only matches of your own pattern
  annals redact last --kind pattern --pattern 'ACME-\\d+' --yes";

/// `annals redact`
#[derive(Debug, clap::Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub(crate) struct RedactArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only list what is found, with at most four characters of each secret
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    pub(crate) scan: bool,
    /// Also find matches of this regular expression; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Vec<String>,
    /// Only secrets of this kind; may be repeated [default: all]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Vec<SecretKind>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

fn kinds() -> impl TypedValueParser<Value = SecretKind> {
    PossibleValuesParser::new(SecretKind::ALL.map(SecretKind::name))
        .try_map(|name| SecretKind::of(&name).ok_or_else(|| format!("no such kind: {name}")))
}
