//! `annals repair`: mends what is broken about a session, and nothing else.

use annals_surgery::Session;
use annals_surgery::repair::{Agents, Options, RepairError, repair};

use crate::args::RepairArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::surgery::carry_out;

pub(crate) fn run(args: &RepairArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = Target::find(context, &args.session)?;
    target.check_readable()?;
    let session = Session::load(&target.path)?;
    let agents = if args.no_agents { Agents::Left } else { Agents::Repaired };
    let options = Options { only: args.only.iter().copied().collect(), agents };
    let plan = repair(&session, &options).map_err(fault)?;
    let change = Change::of(&target.path);
    let is_empty = plan.is_empty();
    let done = carry_out(&plan, args.care, change, context, &format!("{} is repaired", target.key))?;
    // A plan that does nothing still has something to say: what is broken and was left.
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
