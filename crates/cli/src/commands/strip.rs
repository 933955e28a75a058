//! `annals strip`: tools, thinking, images and the like leave a session.

use annals_surgery::Session;
use annals_surgery::strip::{Age, Calls, Part, StripError, ToolNames, Tools, Wish, strip};

use crate::args::StripArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &StripArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let wish = wish(args);
    let target = Target::find(context, &args.session)?;
    let session = Session::load(&target.path)?;
    let plan = strip(&session, &wish).map_err(fault)?;
    let after: usize = plan.edits.iter().map(|edit| edit.result().len()).sum();
    let (before, after) = (words::bytes(session.bytes.len() as u64), words::bytes(after as u64));
    let done = format!("{} is stripped: {before} → {after}", session.key);
    carry_out(&plan, args.care, Change::of(&target.path), context, &done)
}

fn wish(args: &StripArgs) -> Wish {
    let names = match args.tools.as_slice() {
        [all] if all == "all" => ToolNames::All,
        names => ToolNames::Named(names.iter().map(|name| name.trim().to_owned()).collect()),
    };
    let calls = if args.keep_calls { Calls::Kept } else { Calls::Removed };
    let parts = [
        (args.thinking, Part::Thinking),
        (args.images, Part::Images),
        (args.progress, Part::Progress),
        (args.attachments, Part::Attachments),
    ];
    let age = match (args.older_than_turns, args.oldest_percent) {
        (Some(turns), _) => Age::OlderThanTurns(turns),
        (None, Some(percent)) => Age::OldestPercent(percent),
        (None, None) => Age::Any,
    };
    Wish {
        tools: (!args.tools.is_empty()).then_some(Tools { names, calls }),
        parts: parts.into_iter().filter_map(|(asked, part)| asked.then_some(part)).collect(),
        large_results: args.large_results,
        age,
    }
}

fn fault(error: StripError) -> Fault {
    let message = error.to_string();
    match error {
        StripError::NothingAsked => Fault::usage(message)
            .hint("--tools, --thinking, --images, --progress, --attachments and --large-results name it"),
        StripError::Percent(_) => Fault::usage(message),
        StripError::UnknownTool { known, .. } => {
            Fault::nothing_found(message).hint(format!("it calls {}", known.join(", ")))
        }
        StripError::NothingThere { .. } => Fault::nothing_found(message),
        StripError::Damaged { .. } | StripError::NothingLeft { .. } => {
            Fault::usage(message).hint("nothing was changed; annals check says more about the file")
        }
        StripError::Edit { .. } | StripError::Relink(_) => Fault::internal(message),
    }
}
