//! `annals repair`: repairs the damage of a session, and nothing else.

use annals_surgery::Session;
use annals_surgery::repair::{RepairError, RepairOptions, SubagentFiles, repair};

use crate::args::RepairArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;

pub(crate) fn run(args: &RepairArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find(context, &args.session)?;
    target.check_readable()?;
    let session = Session::load(&target.path)?;
    let agents = if args.no_agents { SubagentFiles::Left } else { SubagentFiles::Repaired };
    let options = RepairOptions { only: args.only.iter().copied().collect(), agents };
    let plan = repair(&session, &options).map_err(fault)?;
    let change = ChangeReport::of(&target.path);
    let is_empty = plan.is_empty();
    let done =
        carry_out(&plan, args.confirm, change, context, &Sentence::new("repair", "repaired", &target.key))?;
    // An empty plan may still have notes: damage that was left alone.
    if is_empty && !context.json && context.verbosity >= 0 {
        for note in &plan.notes {
            context.out.line(format!("  {note}"))?;
        }
    }
    Ok(done)
}

fn fault(error: RepairError) -> Fault {
    Fault::internal(error.to_string()).hint("nothing was changed")
}
