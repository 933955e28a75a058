//! `annals show`: one session in one of its forms.

mod agents;
mod api;
mod people;
mod raw;
pub(super) mod records;
mod tools;
mod tree;
mod turns;
mod usage;

use crate::args::{Form, ShowArgs};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;

pub(crate) fn run(args: &ShowArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = Target::find(context, &args.session)?;
    target.check_readable()?;
    let is_for_people = matches!(args.form, Form::Transcript | Form::Markdown);
    if context.json && is_for_people {
        return Err(Fault::usage("this form is for people and has no JSON")
            .hint("forms for programs: --as records, api, turns, tools, agents, tree, usage"));
    }
    if !context.json && !matches!(args.form, Form::Raw | Form::Records | Form::Api) {
        context.out.page();
    }
    match args.form {
        Form::Transcript => people::transcript(args, &target, context),
        Form::Markdown => people::markdown(args, &target, context),
        Form::Raw => raw::run(&target, context),
        Form::Records => records::run(&target, context),
        Form::Api => api::run(args, &target, context),
        Form::Turns => turns::run(&target, context),
        Form::Tools => tools::run(&target, context),
        Form::Agents => agents::run(&target, context),
        Form::Tree => tree::run(&target, context),
        Form::Usage => usage::run(&target, context),
    }
}
