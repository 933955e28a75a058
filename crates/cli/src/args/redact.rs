//! The arguments of `annals redact`.

use annals_transcript::redact::SecretKind;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Care;

const REDACT_EXAMPLES: &str = "\
Every secret becomes [REDACTED:kind:number], the same one the same everywhere: in the session, its sub-agents,
overflow files, copies of files, todos, plans, its prompts in history.jsonl. A thought that has one goes as a whole.
The old bytes stay in the trash of annals, for `annals undo`, until you empty it.

Examples:
  annals redact last --scan                    what would be found; exit code 3 if anything is
  annals redact last --dry-run                 what would be changed, by line
  annals redact last --yes                     do it
  annals redact last --pattern 'ACME-\\d+'      your own besides
  annals redact last --kind pattern --pattern 'ACME-\\d+'     only your own";

/// `annals redact`
#[derive(Debug, clap::Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub(crate) struct RedactArgs {
    /// Which session: a path, an id or its beginning, a title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only list what is found, with at most four characters of each
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    pub(crate) scan: bool,
    /// A regular expression of your own; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Vec<String>,
    /// Only secrets of this kind; may be repeated [default: all]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Vec<SecretKind>,
    #[command(flatten)]
    pub(crate) care: Care,
}

fn kinds() -> impl TypedValueParser<Value = SecretKind> {
    PossibleValuesParser::new(SecretKind::ALL.map(SecretKind::name))
        .try_map(|name| SecretKind::of(&name).ok_or_else(|| format!("no such kind: {name}")))
}
