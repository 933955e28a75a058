//! `annals compress`: replaces older turns with a summary.

use annals_surgery::compress::{CompressError, compress, compress_with_summary, text_to_summarize};
use annals_surgery::{Plan, Session};
use annals_ui::TerminalText;

use super::chat::summarize;
use crate::args::CompressArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &CompressArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find_to_change(context, &args.session)?;
    let session = Session::load(&target.path)?;
    let mut plan = compress(&session, args.keep_turns as usize, &context.source).map_err(fault)?;
    if let Some(model) = &args.model {
        context.check_confirmable(args.confirm, &format!("{}?", plan.what))?;
        // The plan above shows that a summary can be placed, before one is paid for.
        plan = by_model(model, &session, args, context)?;
    }
    let kept = words::plural(u64::from(args.keep_turns), "turn", "turns");
    let done = Sentence::new("compress", "compressed", format!("{} to a summary and {kept}", session.key));
    carry_out(&plan, args.confirm, ChangeReport::of(&target.path), context, &done)
}

/// Plans with a summary that a model writes; it is printed before the confirmation.
fn by_model(
    model: &str,
    session: &Session,
    args: &CompressArgs,
    context: &mut Context,
) -> Result<Plan, Fault> {
    let kept = args.keep_turns as usize;
    let material = text_to_summarize(session, kept).map_err(fault)?;
    let summed = summarize::summarize(model, &material, context)?;
    let mut plan = compress_with_summary(session, kept, &summed.text, &context.source).map_err(fault)?;
    plan.notes.push(summed.bill);
    if context.json {
        plan.notes.push(format!("the summary: {}", summed.text));
    } else if context.verbosity >= 0 {
        context.out.line(TerminalText::block(&summed.text))?;
        context.out.line("")?;
    }
    Ok(plan)
}

fn fault(error: CompressError) -> Fault {
    let message = error.to_string();
    match error {
        CompressError::TooFewTurns { .. } => {
            Fault::nothing_found(message).hint("--keep-turns N sets how many turns stay")
        }
        CompressError::NotResumed | CompressError::Damaged { .. } | CompressError::NotSeen { .. } => {
            Fault::usage(message).hint("nothing was changed; annals check says more about the file")
        }
        CompressError::Edit { .. } => Fault::internal(message),
    }
}
