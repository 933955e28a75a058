//! Plan mode in the session: the records that it has begun and ended, and the file of an approved plan.

use annals_json::{Value, object};
use annals_policy::Mode;
use annals_store::session::AppendError;

use super::agent::Agent;
use super::approve::Approval;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::conversation::PlanRecord;
use crate::protocol::{Event, EventSink, Notice};
use crate::tools::{Outcome, ToolContent};

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Records that plan mode has begun or ended, unless the session says so already.
    pub(super) fn append_plan_mode(&mut self) -> Result<(), AppendError> {
        let is_planning = self.policy.mode == Mode::Plan;
        if is_planning == self.told.has_plan_mode || !self.conversation.is_main() {
            return Ok(());
        }
        self.told.has_plan_mode = is_planning;
        self.conversation.append_plan_mode(if is_planning { PlanRecord::Begin } else { PlanRecord::End })
    }

    /// Saves plans that were approved, and says where.
    pub(super) fn save_plans(
        &self,
        approvals: &[Approval],
        outcomes: &mut [Option<(Outcome, u64)>],
        report: &mut EventSink<'_>,
    ) {
        for (approval, outcome) in approvals.iter().zip(outcomes) {
            let (Approval::LeavePlan(_), Some((outcome, _))) = (approval, outcome) else { continue };
            let kept = Value::parse(&outcome.kept).ok();
            let plan = kept.and_then(|kept| Some(kept.get("plan")?.text()?.into_string()));
            let Some(plan) = plan.filter(|_| !outcome.is_error) else { continue };
            match self.conversation.save_plan(&plan) {
                Some(Ok(path)) => {
                    let path = path.display().to_string();
                    outcome.kept = object(|kept| {
                        kept.string("plan", &plan).boolean("isAgent", false).string("filePath", &path);
                    });
                    if let ToolContent::Text(text) = &mut outcome.shown {
                        text.push_str(&format!(" It is saved in {path}."));
                    }
                }
                Some(Err(error)) => report(Event::Notice(Notice::PlanNotSaved(error.to_string()))),
                None => {}
            }
        }
    }
}
