//! `annals fork`: a session that goes on from a point of another.

use annals_surgery::fork::{At, ForkPlanError, Ids, plan};

use super::clone::{Made, read, sizes};
use crate::args::ForkArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &ForkArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, belongings) = read(&args.session, context)?;
    let at = match (&args.at, args.turn) {
        (Some(uuid), _) => At::Record(uuid.clone()),
        (None, Some(turn)) => At::Turn(turn),
        (None, None) => At::End,
    };
    let ids = if args.keep_ids { Ids::Kept } else { Ids::New };
    let forking =
        plan(&session, &belongings, &at, ids, &context.source).map_err(|error| fault(args, error))?;
    let new = Made { session: &forking.session, path: &forking.path, home: forking.home.as_ref() };
    let size = sizes(forking.records, &forking.plan);
    let done = format!("forked {} as {}: {size}", session.key, forking.session);
    new.carry_out(&forking.plan, args.care, context, &done)
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
