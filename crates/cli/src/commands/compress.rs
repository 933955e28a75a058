//! `annals compress`: older turns become a summary.

use annals_surgery::compress::{CompressError, compress, compress_as, what_is_old};
use annals_surgery::{Plan, Session};
use annals_ui::harmless;

use super::chat::aside;
use crate::args::CompressArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &CompressArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = Target::find(context, &args.session)?;
    let session = Session::load(&target.path)?;
    let mut plan = compress(&session, args.keep_turns as usize, &context.source).map_err(fault)?;
    if let Some(model) = &args.model {
        // Nobody pays for a summary that has no place: there is a plan.
        plan = by_model(model, &session, args, context)?;
    }
    let kept = words::plural(u64::from(args.keep_turns), "turn", "turns");
    let done = format!("{} goes on from a summary and {kept}", session.key);
    carry_out(&plan, args.care, Change::of(&target.path), context, &done)
}

/// The plan with a summary that a model has written; people see the summary before they are asked.
fn by_model(
    model: &str,
    session: &Session,
    args: &CompressArgs,
    context: &mut Context,
) -> Result<Plan, Fault> {
    let kept = args.keep_turns as usize;
    let material = what_is_old(session, kept).map_err(fault)?;
    let summed = aside::sum_up(model, &material, context)?;
    let mut plan = compress_as(session, kept, &summed.text, &context.source).map_err(fault)?;
    plan.notes.push(summed.bill);
    if context.json {
        plan.notes.push(format!("the summary: {}", summed.text));
    } else if context.verbosity >= 0 {
        context.out.line(harmless(&summed.text))?;
        context.out.line("")?;
    }
    Ok(plan)
}

fn fault(error: CompressError) -> Fault {
    let message = error.to_string();
    match error {
        CompressError::TooFewTurns { .. } => {
            Fault::nothing_found(message).hint("--keep-turns says how many stay")
        }
        CompressError::NotResumed | CompressError::Damaged { .. } | CompressError::NotSeen { .. } => {
            Fault::usage(message).hint("nothing was changed; annals check says more about the file")
        }
        CompressError::Edit { .. } => Fault::internal(message),
    }
}
