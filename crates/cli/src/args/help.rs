//! The arguments of `annals help`, and the examples of `annals man` and `annals completions`.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::help;

const HELP_EXAMPLES: &str = "\
Examples:
  # The page of a command
  annals help search

  # A topic: what a search query can contain
  annals help queries";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  # Read it
  annals man | man -l -

  # Install it
  annals man > annals.1";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
In bash, zsh and fish the script also completes sessions, by id or title, and
projects: it asks annals itself.

Examples:
  # Load completions into this bash
  source <(annals completions bash)

  # Install them for fish
  annals completions fish > annals.fish";

/// `annals help`
#[derive(Debug, clap::Args)]
#[command(after_help = HELP_EXAMPLES)]
pub(crate) struct HelpArgs {
    /// A command or a topic [default: list them]
    #[arg(value_name = "NAME", value_parser = names(), hide_possible_values = true)]
    pub(crate) name: Option<String>,
    /// A subcommand of that command
    #[arg(value_name = "SUBCOMMAND", requires = "name")]
    pub(crate) subcommand: Option<String>,
}

fn names() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(help::names())
}
