//! `annals merge`: joins the two halves of a split session.

use annals_surgery::merge::{MergeMode, MergePlanError, SessionPair, plan};

use crate::args::MergeArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &MergeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let find = |argument: &str| -> Result<_, Fault> {
        let target = ResolvedSession::find_to_change(context, argument)?;
        Ok(std::path::absolute(&target.path).unwrap_or(target.path))
    };
    let pair = SessionPair::load(&find(&args.first)?, &find(&args.second)?)?;
    let mode = if args.anyway { MergeMode::Anyway } else { MergeMode::Halves };
    let merging = plan(&pair, mode).map_err(fault)?;
    let rest = format!(
        "{} into {}: added {}, {} already there",
        pair.second.key,
        pair.first.key,
        words::plural(merging.brought as u64, "record", "records"),
        words::plural(merging.shared as u64, "record", "records"),
    );
    let done = Sentence::new("merge", "merged", rest);
    carry_out(&merging.plan, args.confirm, ChangeReport::of(&pair.first.path), context, &done)
}

fn fault(error: MergePlanError) -> Fault {
    let message = error.to_string();
    let anyway = "annals merge --anyway joins them in this order";
    match error {
        MergePlanError::Order { .. } => Fault::usage(message).hint("swap the two sessions").hint(anyway),
        MergePlanError::AtOnce { .. } | MergePlanError::Apart { .. } => Fault::usage(message).hint(anyway),
        MergePlanError::Clash { .. } => Fault::conflict(message).hint("nothing was changed"),
        MergePlanError::Read(error) => error.into(),
        MergePlanError::Lost { .. } => {
            Fault::usage(message).hint("annals check shows why; annals repair may fix it first")
        }
        MergePlanError::Same { .. }
        | MergePlanError::SubAgent { .. }
        | MergePlanError::Empty { .. }
        | MergePlanError::Differs { .. }
        | MergePlanError::Edit { .. } => Fault::usage(message),
    }
}
