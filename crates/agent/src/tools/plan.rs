//! ExitPlanMode: a plan is ready, and a person decides about it. The question is the one that every call may meet; who leaves
//! the mode is whoever keeps it.

use annals_json::Fields;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;

/// Ends planning: it runs when a person has approved the plan.
#[derive(Clone, Copy, Debug)]
pub struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "ExitPlanMode",
            "Shows the plan to the user and asks whether it shall be carried out. Use it in plan mode, once the plan for a change is complete; not to answer a question.",
        )
        .needs("plan", Holds::Text, "The plan, in Markdown, short")
        .build()
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        Input::of(input).words("plan")?;
        Ok(Asked::Plan)
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t Scene<'t>) -> Running<'t> {
        at_once(move || {
            let plan = Input::scan(input)?.words("plan")?;
            let kept = object(|kept| {
                kept.string("plan", &plan).boolean("isAgent", false);
            });
            Ok(Outcome::text("The plan is approved. Carry it out.", kept))
        })
    }
}
