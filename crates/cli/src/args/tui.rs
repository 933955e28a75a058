//! The arguments of `annals tui`.

const TUI_EXAMPLES: &str = "\
`?` shows the keys. Changes show their plan first and ask; `u` undoes the last.
Nothing is copied to the clipboard unless `y` asks for it.

Examples:
  # All sessions, the newest first
  annals tui

  # Straight into the newest session of this folder
  annals tui last";

/// `annals tui`
#[derive(Debug, clap::Args)]
#[command(after_help = TUI_EXAMPLES)]
pub(crate) struct TuiArgs {
    /// Open this session: path, id or prefix, title, or `last` [default: the list]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
}
