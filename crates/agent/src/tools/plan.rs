//! ExitPlanMode: shows a plan to the user for approval. The permission request is the usual one; the caller leaves plan mode.

use annals_json::Fields;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// Ends plan mode; runs when the user has approved the plan.
#[derive(Clone, Copy, Debug)]
pub struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "ExitPlanMode",
            "Shows the plan to the user and asks whether it shall be carried out. Use it in plan mode, once the plan for a change is complete; not to answer a question.",
        )
        .required("plan", ParamType::Text, "The plan, in Markdown, short")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Input::of(input).words("plan")?;
        Ok(ToolRequest::Plan)
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || {
            let plan = Input::scan(input)?.words("plan")?;
            let kept = object(|kept| {
                kept.string("plan", &plan).boolean("isAgent", false);
            });
            Ok(Outcome::text("The plan is approved. Carry it out.", kept))
        })
    }
}
