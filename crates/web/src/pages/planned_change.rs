//! The plan of a change of a session, and the sentences that say what it would do.

use annals_surgery::fork::{ForkIds, ForkPoint};
use annals_surgery::preview::preview;
use annals_surgery::redact::files_to_redact;
use annals_surgery::repair::{RepairOptions, SubagentFiles, repair};
use annals_surgery::strip::{CallMode, StripOptions, StripPart, ToolNames, ToolSelection, TurnRange, strip};
use annals_surgery::trash::PromptHistory;
use annals_surgery::{Plan, Session, fork, redact, trash};
use annals_transcript::draft::Draft;
use annals_transcript::redact::SecretRules;
use annals_ui::figures;

use super::{FoundSession, PageError, Params};
use crate::library::Library;

/// Edits of a file that a plan lists.
const MAX_LISTED: usize = 12;

pub(super) enum PlannedChange {
    /// A record is appended.
    Draft(Draft, String),
    /// Files are edited, created or moved.
    Plan(Box<Plan>),
}

impl PlannedChange {
    /// Makes the plan that the fields ask for.
    pub(super) fn of(
        library: &Library,
        what: &str,
        found: &FoundSession,
        fields: &Params,
    ) -> Result<Self, PageError> {
        let path = &found.listed.entry.path;
        let bad = |error: &dyn std::error::Error| PageError::bad_request(error.to_string());
        let discovery = library.listing().discoveries[found.listed.store].clone();
        let value = fields.get("value").unwrap_or_default();
        let load =
            || Session::load_from(path, Some(&discovery)).map_err(|error| PageError::unreadable(&error));
        let plan = match what {
            "rename" => {
                return Ok(Self::Draft(Draft::custom_title(value), format!("Set the title to {value:?}")));
            }
            "tag" => return Ok(Self::Draft(Draft::tag(value), format!("Set the tag to {value:?}"))),
            "fork" => {
                let session = load()?;
                let files = annals_surgery::session_files::session_files(&session, &discovery);
                let files = files.map_err(|error| PageError::unreadable(&error))?;
                let at = fields.get("at").map_or(ForkPoint::End, |uuid| ForkPoint::Record(uuid.to_owned()));
                fork::plan(&session, &files, &at, ForkIds::New, &library.source)
                    .map_err(|error| bad(&error))?
                    .plan
            }
            "strip" => {
                let tools = ToolSelection { names: ToolNames::All, calls: CallMode::Kept };
                let parts = [
                    ("thinking", StripPart::Thinking),
                    ("images", StripPart::Images),
                    ("progress", StripPart::Progress),
                ];
                let parts =
                    parts.into_iter().filter(|(name, _)| fields.get(name).is_some()).map(|(_, part)| part);
                let options = StripOptions {
                    tools: fields.get("tools").map(|_| tools),
                    parts: parts.collect(),
                    large_results: None,
                    range: TurnRange::Any,
                };
                strip(&load()?, &options).map_err(|error| bad(&error))?
            }
            "redact" => {
                let rules =
                    SecretRules::new(&[], &library.redaction_patterns).map_err(|error| bad(&error))?;
                let session = load()?;
                let files = files_to_redact(&session, Some(&discovery))
                    .map_err(|error| PageError::unreadable(&error))?;
                redact::plan(&session, &files, &rules).map_err(|error| bad(&error))?
            }
            "repair" => {
                let options = RepairOptions { only: Default::default(), agents: SubagentFiles::Repaired };
                repair(&load()?, &options).map_err(|error| bad(&error))?
            }
            "trash" => {
                let plan = trash::plan(std::slice::from_ref(path), &discovery, PromptHistory::Keep);
                plan.map_err(|error| bad(&error))?.plan
            }
            _ => return Err(PageError::not_found("There is no such change.")),
        };
        Ok(Self::Plan(Box::new(plan)))
    }

    /// What it would do.
    pub(super) fn sentences(&self) -> Vec<String> {
        match self {
            Self::Draft(_, sentence) => vec![sentence.clone()],
            Self::Plan(plan) => sentences(plan),
        }
    }

    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Plan(plan) if plan.is_empty())
    }
}

/// A plan in sentences: files, clients, notes.
fn sentences(plan: &Plan) -> Vec<String> {
    let mut all = vec![plan.what.clone()];
    for file in preview(plan) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (removed, changed, added) = file.lines;
        let (before, after) = file.bytes;
        all.push(format!(
            "{name}: {removed} lines removed, {changed} changed, {added} added; {} → {}",
            figures::size(before),
            figures::size(after)
        ));
        for client in file.clients {
            let count = |messages: Option<usize>| {
                messages.map_or("refuses it".to_owned(), |count| figures::counted(count, "message"))
            };
            all.push(format!(
                "client {}: {} → {}",
                client.client.version(),
                count(client.messages.0),
                count(client.messages.1)
            ));
        }
    }
    let changes = plan.changes.len();
    all.extend(
        (changes > 0)
            .then(|| format!("{} created, moved or put into the trash", figures::counted(changes, "file"))),
    );
    all.extend(plan.notes.iter().take(MAX_LISTED).cloned());
    all
}
