//! `annals show`: one session in one of its forms.

mod agents;
mod api;
mod counts;
mod messages;
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
    let target = Target::find_or_unpack(context, &args.session)?;
    target.check_readable()?;
    let is_for_people = matches!(args.form, Form::Transcript | Form::Markdown);
    if context.json && is_for_people {
        return Err(Fault::usage("this form is for people and has no JSON").hint(
            "forms for programs: --as records, messages, api, turns, tools, agents, tree, usage, counts",
        ));
    }
    if args.form != Form::Messages
        && let Some(option) = args.messages.first_used()
    {
        return Err(Fault::usage(format!("{option} selects plain messages"))
            .hint(format!("annals show SESSION --as messages {option} …")));
    }
    if !context.json && !matches!(args.form, Form::Raw | Form::Records | Form::Messages | Form::Api) {
        context.out.page();
    }
    match args.form {
        Form::Transcript => people::transcript(args, &target, context),
        Form::Markdown => people::markdown(args, &target, context),
        Form::Raw => raw::run(&target, context),
        Form::Records => records::run(&target, context),
        Form::Messages => messages::run(&args.messages, &target, context),
        Form::Api => api::run(args, &target, context),
        Form::Turns => turns::run(&target, context),
        Form::Tools => tools::run(&target, context),
        Form::Agents => agents::run(&target, context),
        Form::Tree => tree::run(&target, context),
        Form::Usage => usage::run(&target, context),
        Form::Counts => counts::run(&target, context),
    }
}
