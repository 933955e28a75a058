//! The arguments of `annals import`.

use std::path::PathBuf;

use super::ConfirmArgs;

const IMPORT_EXAMPLES: &str = "\
FILE is what `annals export SESSION --as bundle` wrote: a session with its
sub-agents and side files. It is checked before anything is written, and the
session keeps its ids unless --new-id is given.

Examples:
  # Show what would be written
  annals import ferrite.bundle --dry-run

  # Continue a colleague's session in your own working copy
  annals import ferrite.bundle --project ~/work/ferrite";

/// `annals import`
#[derive(Debug, clap::Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// A bundle; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Put it into the project of this working directory [default: the session's own]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Give the session, its records and its sub-agents new ids
    #[arg(long)]
    pub(crate) new_id: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}
