//! `annals merge`: two halves of a session that was split become one.

use annals_surgery::merge::{MergePlanError, Pair, Wish, plan};

use crate::args::MergeArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &MergeArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let find = |argument: &str| -> Result<_, Fault> {
        let target = Target::find(context, argument)?;
        Ok(std::path::absolute(&target.path).unwrap_or(target.path))
    };
    let pair = Pair::load(&find(&args.first)?, &find(&args.second)?)?;
    let wish = if args.anyway { Wish::Anyway } else { Wish::Halves };
    let merging = plan(&pair, wish).map_err(fault)?;
    let done = format!(
        "merged {} into {}: {} came over, {} were there already",
        pair.second.key,
        pair.first.key,
        words::plural(merging.brought as u64, "record", "records"),
        words::plural(merging.shared as u64, "record", "records"),
    );
    carry_out(&merging.plan, args.care, Change::of(&pair.first.path), context, &done)
}

fn fault(error: MergePlanError) -> Fault {
    let message = error.to_string();
    let anyway = "annals merge --anyway puts them one behind the other all the same";
    match error {
        MergePlanError::Order { .. } => {
            Fault::usage(message).hint("name them the other way round").hint(anyway)
        }
        MergePlanError::AtOnce { .. } | MergePlanError::Apart { .. } => Fault::usage(message).hint(anyway),
        MergePlanError::Clash { .. } => Fault::conflict(message).hint("nothing was changed"),
        MergePlanError::Read(error) => error.into(),
        MergePlanError::Lost { .. } => {
            Fault::usage(message).hint("annals check shows why; annals repair may mend it first")
        }
        MergePlanError::Same { .. }
        | MergePlanError::SubAgent { .. }
        | MergePlanError::Empty { .. }
        | MergePlanError::Differs { .. }
        | MergePlanError::Edit { .. } => Fault::usage(message),
    }
}
