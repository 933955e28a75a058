//! `annals completions`: what a shell needs to complete our commands.

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &CompletionsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "annals", &mut script);
    context.out.write_all(&script)?;
    Ok(Outcome::Done)
}
