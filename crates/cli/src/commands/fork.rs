//! `annals fork`: branches a new session off a point of another.

use annals_surgery::fork::{ForkIds, ForkPlanError, ForkPoint, plan};

use super::clone::{CopyPlan, read, sizes};
use crate::args::ForkArgs;
use crate::change::Sentence;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &ForkArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, session_files) = read(&args.session, context)?;
    let at = match (&args.at, args.turn) {
        (Some(uuid), _) => ForkPoint::Record(uuid.clone()),
        (None, Some(turn)) => ForkPoint::Turn(turn),
        (None, None) => ForkPoint::End,
    };
    let ids = if args.keep_ids { ForkIds::Kept } else { ForkIds::New };
    let forking =
        plan(&session, &session_files, &at, ids, &context.source).map_err(|error| fault(args, error))?;
    let new = CopyPlan { session: &forking.session, path: &forking.path, home: forking.home.as_ref() };
    let size = sizes(forking.records, &forking.plan);
    let done = Sentence::new("fork", "forked", format!("{} as {}: {size}", session.key, forking.session));
    new.carry_out(&forking.plan, args.confirm, context, &done)
}

fn fault(args: &ForkArgs, error: ForkPlanError) -> Fault {
    let message = error.to_string();
    match error {
        ForkPlanError::NoSuchTurn { .. } => {
            Fault::usage(message).hint(format!("annals show {} --as turns lists them", args.session))
        }
        ForkPlanError::Fork(_) => {
            Fault::usage(message).hint(format!("annals show {} --as tree shows its records", args.session))
        }
        ForkPlanError::Clone(_) => Fault::usage(message),
    }
}
