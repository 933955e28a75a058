//! `annals compress`: older turns become a summary.

use annals_surgery::Session;
use annals_surgery::compress::{CompressError, compress};

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
    let plan = compress(&session, args.keep_turns as usize, &context.source).map_err(fault)?;
    let kept = words::plural(u64::from(args.keep_turns), "turn", "turns");
    let done = format!("{} goes on from a summary and {kept}", session.key);
    carry_out(&plan, args.care, Change::of(&target.path), context, &done)
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
