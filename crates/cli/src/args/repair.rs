//! The arguments of `annals repair`.

use annals_surgery::repair::RepairKind;

use super::ConfirmArgs;

const EXAMPLES: &str = "\
Kinds, in the order in which they are applied: lines, oversize,
duplicate-uuid, cycle, dangling-parent, null-parent, forward-reference,
boundary-without-summary, lost-branch, orphan-tool-result,
unanswered-tool-use, thinking-only. A problem name that `annals check`
prints also selects its repair. Undamaged lines stay byte-identical.

Examples:
  # Show every line that would change, and what clients would send
  annals repair 89ab --dry-run

  # Repair only torn lines; `annals undo` reverts it
  annals repair 89ab --only torn-line --yes";

/// `annals repair`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArgs {
    /// A session: path, id or prefix, title, or `last`
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,
    /// Only these kinds [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) only: Vec<RepairKind>,
    /// Do not repair the files of its sub-agents
    #[arg(long)]
    pub(crate) no_agents: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}
