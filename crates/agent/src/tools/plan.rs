//! EnterPlanMode and ExitPlanMode: the model plans before it changes anything, and shows the plan to the user for approval. The
//! permission request is the usual one; the turn changes the mode.

use annals_json::Fields;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

/// The name of the tool that begins plan mode.
pub(crate) const ENTER: &str = "EnterPlanMode";

/// Begins plan mode.
#[derive(Clone, Copy, Debug)]
pub struct EnterPlanMode;

impl Tool for EnterPlanMode {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            ENTER,
            "Starts plan mode: nothing is changed until the user has approved the plan that ExitPlanMode shows. Use it before a change that can be made in several ways or affects many files, not for small ones.",
        )
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Inward(ENTER))
    }

    fn run<'t>(&'t self, _: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(|| {
            let message = "Plan mode is now on: find out what the change needs, and change nothing.";
            let kept = object(|kept| {
                kept.string("message", message);
            });
            Ok(Outcome::text(message, kept))
        })
    }
}

/// Ends plan mode; runs when the user has approved the plan.
#[derive(Clone, Copy, Debug)]
pub struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "ExitPlanMode",
            "Shows the plan to the user and asks whether to carry it out. Use it in plan mode when the plan for a change is complete, not to answer a question.",
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
