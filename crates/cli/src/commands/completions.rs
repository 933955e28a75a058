//! `annals completions`: a completion script for a shell.

use crate::args::CompletionsArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::help;

pub(crate) fn run(args: &CompletionsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "annals", &mut script);
    context.out.exact(&script)?;
    Ok(Outcome::Done)
}
