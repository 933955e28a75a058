//! ExitPlanMode: a plan is ready, and a person decides about it. Who leaves the mode is whoever keeps it.

use std::future::Future;
use std::pin::Pin;

use annals_transcript::json::Fields;

use super::answer::object;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;

/// What a person said to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It shall be carried out; the mode was left.
    Approved,
    /// It shall not, for this reason, if one was given.
    Rejected(Option<String>),
}

/// Asks about plans.
pub trait Approval: Send + Sync {
    /// Shows a plan, and leaves the mode where it is approved.
    fn decide<'a>(&'a self, plan: &'a str) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;
}

/// Whose plan it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planner {
    /// The session's.
    Session,
    /// That of a sub-agent.
    Agent,
}

/// Ends planning.
pub struct ExitPlanMode {
    approval: Box<dyn Approval>,
    planner: Planner,
}

impl ExitPlanMode {
    /// Plans of this one, decided on there.
    pub fn new(approval: Box<dyn Approval>, planner: Planner) -> Self {
        Self { approval, planner }
    }

    async fn ask(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let plan = Input::scan(input)?.words("plan")?;
        match self.approval.decide(&plan).await {
            Verdict::Approved => {
                let kept = object(|kept| {
                    kept.string("plan", &plan).boolean("isAgent", self.planner == Planner::Agent);
                });
                Ok(Outcome::text("The plan is approved. Carry it out.", kept))
            }
            Verdict::Rejected(why) => {
                let why = why.map_or(String::new(), |why| format!(" The user says: {why}"));
                let said =
                    format!("The user did not approve the plan. Stay in plan mode and go on planning.{why}");
                Ok(Outcome::failed(said.clone(), &said))
            }
        }
    }
}

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
        Ok(Asked::Inward("ExitPlanMode"))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t Scene<'t>) -> Running<'t> {
        Box::pin(async move { self.ask(input).await.unwrap_or_else(|error| Outcome::refused(error.0)) })
    }
}
