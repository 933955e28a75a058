//! `annals strip`: removes tool output, thinking, images and more from a session.

use annals_surgery::Session;
use annals_surgery::strip::{
    CallMode, StripError, StripOptions, StripPart, ToolNames, ToolSelection, TurnRange, strip,
};

use crate::args::StripArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &StripArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let options = options(args);
    let target = ResolvedSession::find_to_change(context, &args.session)?;
    let session = Session::load(&target.path)?;
    let plan = strip(&session, &options).map_err(fault)?;
    let after: usize = plan.edits.iter().map(|edit| edit.result().len()).sum();
    let (before, after) = (words::bytes(session.bytes.len() as u64), words::bytes(after as u64));
    let done = Sentence::new("strip", "stripped", format!("{}: {before} → {after}", session.key));
    carry_out(&plan, args.confirm, ChangeReport::of(&target.path), context, &done)
}

fn options(args: &StripArgs) -> StripOptions {
    let names = match args.tools.as_slice() {
        [all] if all == "all" => ToolNames::All,
        names => ToolNames::Named(names.iter().map(|name| name.trim().to_owned()).collect()),
    };
    let calls = if args.keep_calls { CallMode::Kept } else { CallMode::Removed };
    let parts = [
        (args.thinking, StripPart::Thinking),
        (args.images, StripPart::Images),
        (args.progress, StripPart::Progress),
        (args.attachments, StripPart::Attachments),
    ];
    let range = match (args.older_than_turns, args.oldest_percent) {
        (Some(turns), _) => TurnRange::OlderThanTurns(turns),
        (None, Some(percent)) => TurnRange::OldestPercent(percent),
        (None, None) => TurnRange::Any,
    };
    StripOptions {
        tools: (!args.tools.is_empty()).then_some(ToolSelection { names, calls }),
        parts: parts.into_iter().filter_map(|(asked, part)| asked.then_some(part)).collect(),
        large_results: args.large_results,
        range,
    }
}

fn fault(error: StripError) -> Fault {
    let message = error.to_string();
    match error {
        StripError::NothingAsked => Fault::usage(message)
            .hint("with --tools, --thinking, --images, --progress, --attachments or --large-results"),
        StripError::Percent(_) => Fault::usage(message),
        StripError::UnknownTool { known, .. } => {
            let hint = match known.is_empty() {
                true => "it calls no tools".to_owned(),
                false => format!("it calls {}", known.join(", ")),
            };
            Fault::nothing_found(message).hint(hint)
        }
        StripError::NothingThere { .. } => Fault::nothing_found(message),
        StripError::Damaged { .. } | StripError::NothingLeft { .. } => {
            Fault::usage(message).hint("nothing was changed; annals check says more about the file")
        }
        StripError::Edit { .. } | StripError::Relink(_) => Fault::internal(message),
    }
}
