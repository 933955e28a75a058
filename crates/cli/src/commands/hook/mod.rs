//! `annals hook`: what the clients' events start. A hook must never stop a client, and exit code 2 would: every failure is said
//! and ends with 1.

mod input;
mod session_start;
mod stop;

use crate::args::{HookArgs, HookCommand};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use input::HookInput;

pub(crate) fn run(args: &HookArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match checked(args, context) {
        Ok(outcome) => Ok(outcome),
        Err(fault) => {
            fault.report();
            Ok(Outcome::Failed)
        }
    }
}

fn checked(args: &HookArgs, context: &mut Context) -> Result<Outcome, Fault> {
    context.check_configuration()?;
    context.check_stores()?;
    let input = HookInput::read(context)?;
    match &args.command {
        HookCommand::SessionStart(args) => session_start::run(args, &input, context),
        HookCommand::Stop => stop::run(&input, context),
    }
}
