//! `annals show`: prints a session in one of its formats.

mod agents;
mod api;
mod conversation;
mod counts;
mod header;
mod messages;
mod raw;
pub(super) mod records;
mod tools;
mod tree;
mod turns;
mod usage;

use annals_store::session_file::has_objects;

use crate::args::{ShowArgs, ShowFormat};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::team_store;

pub(super) use conversation::threads;

/// What standard error says if there is nothing to show.
const NO_MESSAGES: &str = "no messages to show";

pub(crate) fn run(args: &ShowArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(engine) = args.at.open(context)? {
        team_store::fetch_session(&engine, &args.at.scope.scope(), &args.session, context)?;
    }
    let target = ResolvedSession::find_or_unpack(context, &args.session)?;
    target.check_readable()?;
    if args.form != ShowFormat::Raw && !has_objects(&target.path)? {
        let path = target.display_path(&target.path);
        return Err(Fault::usage(format!("{}: not a session", path.display()))
            .hint("a session is a file of JSON objects, one per line"));
    }
    // For programs the conversation is its messages.
    let form = match args.form {
        ShowFormat::Transcript if context.json => ShowFormat::Messages,
        form => form,
    };
    let has_no_json = matches!(form, ShowFormat::Transcript | ShowFormat::Markdown | ShowFormat::Html);
    if context.json && has_no_json {
        return Err(Fault::usage("this format has no JSON").hint(
            "formats with JSON: --as records, messages, api, turns, tools, agents, tree, usage, counts",
        ));
    }
    if args.around.is_some() && !has_no_json {
        return Err(Fault::usage("--around needs --as transcript, markdown or html"));
    }
    if form != ShowFormat::Messages
        && let Some(option) = args.messages.first_used()
    {
        return Err(Fault::usage(format!("{option} needs --as messages"))
            .hint(format!("annals show SESSION --as messages {option} …")));
    }
    if !context.json
        && !matches!(form, ShowFormat::Raw | ShowFormat::Records | ShowFormat::Messages | ShowFormat::Api)
    {
        context.out.page();
    }
    match form {
        ShowFormat::Transcript => conversation::transcript(args, &target, context),
        ShowFormat::Markdown => conversation::markdown(args, &target, context),
        ShowFormat::Html => conversation::html(args, &target, context),
        ShowFormat::Raw => raw::run(&target, context),
        ShowFormat::Records => records::run(&target, context),
        ShowFormat::Messages => messages::run(args, &target, context),
        ShowFormat::Api => api::run(args, &target, context),
        ShowFormat::Turns => turns::run(&target, context),
        ShowFormat::Tools => tools::run(&target, context),
        ShowFormat::Agents => agents::run(&target, context),
        ShowFormat::Tree => tree::run(&target, context),
        ShowFormat::Usage => usage::run(&target, context),
        ShowFormat::Counts => counts::run(&target, context),
    }
}
