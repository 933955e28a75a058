//! Removes tool calls, thinking, images and the like from a session, and keeps the conversation.
//!
//! A call is removed with its results, its progress and what the client added because of it; a reply without remaining text
//! is removed as a whole, since thinking may neither stand alone nor come last. The rest is relinked.

mod cuts;
mod lines;
mod options;
mod selection;
mod shrink;

pub use options::{CallMode, StripOptions, StripPart, ToolNames, ToolSelection, TurnRange};

use std::collections::{BTreeSet, HashSet};

use annals_json::edit::EditError;
use annals_transcript::agents::spawns;
use annals_transcript::graph::Graph;
use annals_transcript::objects::LineSharing;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use cuts::{RecordEdit, cuts};
use selection::CallSelection;

/// Why a session cannot be stripped.
#[derive(Debug, thiserror::Error)]
pub enum StripError {
    /// Nothing was requested.
    #[error("nothing selected to remove")]
    NothingAsked,
    /// More than 100 percent.
    #[error("{0} percent is more than 100")]
    Percent(u8),
    /// The session never calls this tool.
    #[error("the session never calls the tool {name}")]
    UnknownTool {
        /// The name of the tool.
        name: String,
        /// The tools that it calls.
        known: Vec<String>,
    },
    /// The session has nothing of what was requested.
    #[error("nothing to remove in {place}")]
    NothingThere {
        /// Where it was searched for.
        place: String,
    },
    /// A line holds more than one record.
    #[error("line {line} has more than one record: run annals repair first")]
    Damaged {
        /// The line number.
        line: usize,
    },
    /// Too much would be removed.
    #[error("{client} would not resume the result")]
    NothingLeft {
        /// The client release.
        client: Client,
    },
    /// A record could not be edited.
    #[error("line {line}: {error}")]
    Edit {
        /// The line number.
        line: usize,
        error: EditError,
    },
    /// References to removed records could not be updated.
    #[error("references could not be updated: {0}")]
    Relink(EditError),
}

/// Plans what to remove from a session's file; sub-agents stay as they are.
pub fn strip(session: &Session, options: &StripOptions) -> Result<Plan, StripError> {
    options.check()?;
    let transcript = session.transcript();
    let selection = CallSelection::new(&transcript, options)?;
    let graph = Graph::new(&transcript);
    let cuts = cuts(&transcript, &graph, &selection);
    if cuts.is_empty() {
        return Err(StripError::NothingThere { place: options.range.text() });
    }
    let mut edit = FileEdit::new(&session.path, &session.bytes);
    let mut removed = BTreeSet::new();
    for (node, cut) in &cuts {
        let line = transcript.node(*node).line as usize;
        match cut {
            RecordEdit::Line { why } => {
                edit.remove(line, why);
                removed.insert(*node);
            }
            RecordEdit::Parts(parts) => {
                let bytes = parts.apply(transcript.fields(*node).raw());
                edit.change(line, bytes.map_err(|error| StripError::Edit { line, error })?, parts.why());
            }
        }
    }
    let removed = without_copies(&transcript, removed);
    crate::relink::relink(&mut edit, &transcript, &graph, &removed).map_err(StripError::Relink)?;
    check_lines(&transcript, &edit)?;
    check_resumes(&transcript, &edit.result())?;
    let mut plan = Plan::new(format!("strip {}", session.key), &session.root());
    plan.usage_is_off = true;
    plan.notes
        .push("recorded usage stays as it was and no longer matches what a request would cost".to_owned());
    let lost = spawns(&transcript).iter().filter(|spawn| selection.removes(&spawn.tool_use)).count();
    if lost > 0 && !session.agents.is_empty() {
        plan.notes.push("files of sub-agents stay, although their calls are removed".to_owned());
    }
    plan.edit(edit);
    Ok(plan)
}

/// The removed records without those of which a copy with the same uuid stays, since references still resolve.
fn without_copies(transcript: &Transcript<'_>, removed: BTreeSet<NodeIndex>) -> BTreeSet<NodeIndex> {
    let remaining = transcript.indices().filter(|node| !removed.contains(node));
    let remaining: HashSet<_> = remaining.filter_map(|node| transcript.node(node).uuid).collect();
    let is_gone =
        |node: &NodeIndex| transcript.node(*node).uuid.is_none_or(|uuid| !remaining.contains(&uuid));
    removed.into_iter().filter(is_gone).collect()
}

/// Fails if an edited line holds more than one record.
fn check_lines(transcript: &Transcript<'_>, edit: &FileEdit) -> Result<(), StripError> {
    let crowded = transcript.nodes().iter().filter(|node| node.sharing != LineSharing::Alone);
    let crowded: HashSet<usize> = crowded.map(|node| node.line as usize).collect();
    match edit.line_edits().find(|(line, _)| crowded.contains(line)) {
        Some((line, _)) => Err(StripError::Damaged { line }),
        None => Ok(()),
    }
}

fn check_resumes(before: &Transcript<'_>, after: &[u8]) -> Result<(), StripError> {
    let after = Transcript::parse(after);
    for &client in Client::ALL {
        // An empty conversation is as bad as a refused file.
        let resumes = |transcript: &Transcript<'_>| !resume(transcript, client).messages().is_empty();
        if resumes(before) && !resumes(&after) {
            return Err(StripError::NothingLeft { client });
        }
    }
    Ok(())
}
