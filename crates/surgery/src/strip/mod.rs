//! Strip: tools, thinking, images and the like leave a session, and the conversation stays.
//!
//! A call goes with its results, its progress and what the client said because of it; a reply of which nothing is left that
//! says something goes as a whole, since thinking may neither stand alone nor come last. What stays is relinked.

mod choice;
mod cuts;
mod lines;
mod shrink;
mod wish;

pub use wish::{Age, Calls, Part, ToolNames, Tools, Wish};

use std::collections::{BTreeSet, HashSet};

use annals_json::edit::EditError;
use annals_transcript::agents::spawns;
use annals_transcript::graph::Graph;
use annals_transcript::objects::Standing;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use choice::Choice;
use cuts::{Cut, cuts};

/// Why a session cannot be stripped like that.
#[derive(Debug, thiserror::Error)]
pub enum StripError {
    /// Nothing was asked for.
    #[error("nothing was named that should go")]
    NothingAsked,
    /// More than all turns.
    #[error("{0} percent of the turns are more than there are")]
    Percent(u8),
    /// A tool that the session never calls.
    #[error("the session never calls a tool {name}")]
    UnknownTool {
        /// The tool.
        name: String,
        /// Those that it calls.
        known: Vec<String>,
    },
    /// Nothing of what was asked for is there.
    #[error("there is nothing of that in {place}")]
    NothingThere {
        /// Where it was looked for.
        place: String,
    },
    /// A line that holds more than its record.
    #[error("line {line} holds more than one record: it cannot be edited before it is repaired")]
    Damaged {
        /// The line.
        line: usize,
    },
    /// Too much would go.
    #[error("{client} would not resume what is left")]
    NothingLeft {
        /// The client.
        client: Client,
    },
    /// A record could not be edited.
    #[error("line {line}: {error}")]
    Edit {
        /// The line.
        line: usize,
        /// Why.
        error: EditError,
    },
    /// The references to what goes could not be mended.
    #[error("references could not be mended: {0}")]
    Relink(EditError),
}

/// Plans what a wish takes out of a session's own file; the files of its sub-agents stay as they are.
pub fn strip(session: &Session, wish: &Wish) -> Result<Plan, StripError> {
    wish.check()?;
    let transcript = session.transcript();
    let choice = Choice::new(&transcript, wish)?;
    let graph = Graph::new(&transcript);
    let cuts = cuts(&transcript, &graph, &choice);
    if cuts.is_empty() {
        return Err(StripError::NothingThere { place: wish.age.place() });
    }
    let mut edit = FileEdit::new(&session.path, &session.bytes);
    let mut removed = BTreeSet::new();
    for (node, cut) in &cuts {
        let line = transcript.nodes()[*node].line as usize;
        match cut {
            Cut::Line { why } => {
                edit.remove(line, why);
                removed.insert(*node);
            }
            Cut::Parts(parts) => {
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
    plan.notes.push("usage stays as it was counted: it no longer says what a request would cost".to_owned());
    let lost = spawns(&transcript).iter().filter(|spawn| choice.removes(&spawn.tool_use)).count();
    if lost > 0 && !session.agents.is_empty() {
        plan.notes.push("files of sub-agents stay, though the calls that started them go".to_owned());
    }
    plan.edit(edit);
    Ok(plan)
}

/// What goes, less those of which a copy with the same uuid stays: references still find that one.
fn without_copies(transcript: &Transcript<'_>, removed: BTreeSet<NodeIndex>) -> BTreeSet<NodeIndex> {
    let stays = (0..transcript.nodes().len()).filter(|node| !removed.contains(node));
    let stays: HashSet<_> = stays.filter_map(|node| transcript.nodes()[node].uuid).collect();
    let is_gone = |node: &NodeIndex| transcript.nodes()[*node].uuid.is_none_or(|uuid| !stays.contains(&uuid));
    removed.into_iter().filter(is_gone).collect()
}

/// A line is edited as a whole: nothing else may stand on it.
fn check_lines(transcript: &Transcript<'_>, edit: &FileEdit) -> Result<(), StripError> {
    let crowded = transcript.nodes().iter().filter(|node| node.standing != Standing::Alone);
    let crowded: HashSet<usize> = crowded.map(|node| node.line as usize).collect();
    match edit.fates().find(|(line, _)| crowded.contains(line)) {
        Some((line, _)) => Err(StripError::Damaged { line }),
        None => Ok(()),
    }
}

fn check_resumes(before: &Transcript<'_>, after: &[u8]) -> Result<(), StripError> {
    let after = Transcript::parse(after);
    for &client in Client::ALL {
        // An empty conversation is as little as a refused file.
        let resumes = |transcript: &Transcript<'_>| !resume(transcript, client).messages().is_empty();
        if resumes(before) && !resumes(&after) {
            return Err(StripError::NothingLeft { client });
        }
    }
    Ok(())
}
