//! The plan of a session: a file of the config dir that is named after the session, and the records that plan mode has begun and ended.

use std::path::PathBuf;

use annals_json::object;
use annals_store::files::{PlainName, WriteError};
use annals_store::plans;
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::{Conversation, SessionState};

/// What is recorded of plan mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanRecord {
    /// It has begun.
    Begin,
    /// It is over.
    End,
}

impl Conversation<'_> {
    /// Returns the name of the plan; `None` if the session is not stored, or its name, which a file has said, is none for a file.
    fn plan_name(&self) -> Option<PlainName> {
        let SessionState::Open(backend) = &self.state else { return None };
        backend.path()?;
        PlainName::new(backend.origin().slug.as_deref()?, "the name of a plan").ok()
    }

    /// Records that plan mode has begun or ended, as clients do.
    pub(crate) fn append_plan_mode(&mut self, record: PlanRecord) -> Result<(), AppendError> {
        let path = self.plan_name().map(|name| self.store.config.plan(name.as_str()));
        let attachment = object(|attachment| {
            match record {
                PlanRecord::Begin => {
                    attachment.string("type", "plan_mode").string("reminderType", "full");
                    attachment.boolean("isSubAgent", false);
                }
                PlanRecord::End => {
                    attachment.string("type", "plan_mode_exit");
                }
            }
            if let Some(path) = &path {
                attachment.string("planFilePath", &path.display().to_string());
                attachment.boolean("planExists", path.exists());
            }
        });
        self.append(Draft::attachment(&attachment))?;
        self.mark_stale();
        Ok(())
    }

    /// Saves an approved plan; `None` if the session is not stored.
    pub(crate) fn save_plan(&self, plan: &str) -> Option<Result<PathBuf, WriteError>> {
        let name = self.plan_name()?;
        let written = plans::write(self.store.config, name.as_str(), plan);
        Some(written.map(|_| self.store.config.plan(name.as_str())))
    }
}
