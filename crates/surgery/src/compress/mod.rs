//! Replaces older turns by a summary, as a compaction of the client does, and keeps the last turns unchanged.
//!
//! Boundary and summary are inserted before the first kept turn, which becomes a child of the summary. So every client
//! sends the summary and the kept turns, whether it knows preserved messages or not; no id occurs twice, no usage is
//! counted twice, and everything that was summarized stays in the file above the boundary.

mod cut;
mod extract;
mod material;
mod summary;

use std::collections::HashSet;

use annals_json::edit::{EditError, Editor, PathStep};
use annals_store::source::{Source, new_uuid};
use annals_transcript::draft::{CompactionTrigger, Draft, Origin, Placement};
use annals_transcript::graph::Graph;
use annals_transcript::objects::LineSharing;
use annals_transcript::resume::{self, Client, ResumeResult, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use cut::CutPoint;

/// Why a session cannot be compressed.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// The newest client does not resume it.
    #[error("the newest client would not resume it")]
    NotResumed,
    /// There are not more turns than are kept.
    #[error(
        "nothing to compress: {turns} {} since the start or the last compaction, and {kept} stay",
        if *turns == 1 { "turn" } else { "turns" }
    )]
    TooFewTurns {
        /// How many turns there are since the last compaction.
        turns: usize,
        /// How many turns are to be kept.
        kept: usize,
    },
    /// A kept line holds more than one record.
    #[error("line {line} has more than one record: run annals repair first")]
    Damaged {
        /// The line number.
        line: usize,
    },
    /// A client would still send what was summarized, or would not send the summary.
    #[error("{client} would not continue from the summary")]
    NotSeen {
        /// The client release.
        client: Client,
    },
    /// The parent of a kept record could not be changed.
    #[error("line {line}: {error}")]
    Edit {
        /// The line number.
        line: usize,
        error: EditError,
    },
}

/// Where the summary comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SummarySource<'a> {
    /// An extract, without a model.
    Extract,
    /// A text that a model wrote.
    Text(&'a str),
}

/// Plans a summary of all turns except the last `kept`, without a model. `source` makes the new ids.
pub fn compress(session: &Session, kept: usize, source: &dyn Source) -> Result<Plan, CompressError> {
    plan(session, kept, SummarySource::Extract, source)
}

/// The same with a summary that a model has written of [`text_to_summarize`].
pub fn compress_with_summary(
    session: &Session,
    kept: usize,
    summary: &str,
    source: &dyn Source,
) -> Result<Plan, CompressError> {
    plan(session, kept, SummarySource::Text(summary), source)
}

/// All turns except the last `kept`, as text for a model to summarize.
pub fn text_to_summarize(session: &Session, kept: usize) -> Result<String, CompressError> {
    let transcript = session.transcript();
    let seen = resume(&transcript, Client::NEWEST);
    let cut_point = CutPoint::find(&transcript, &Graph::new(&transcript), &seen, kept)?;
    Ok(material::of(&transcript, &cut_point.old))
}

fn plan(
    session: &Session,
    kept: usize,
    summary_source: SummarySource<'_>,
    source: &dyn Source,
) -> Result<Plan, CompressError> {
    let transcript = session.transcript();
    let graph = Graph::new(&transcript);
    let seen = resume(&transcript, Client::NEWEST);
    let cut_point = CutPoint::find(&transcript, &graph, &seen, kept)?;
    let first = transcript.node(cut_point.first);
    let line = first.line as usize;
    let text = match summary_source {
        SummarySource::Extract => summary::of(&extract::turns_of(&transcript, &cut_point.old)),
        SummarySource::Text(words) => summary::from_model(words),
    };
    let origin = origin_of(&transcript, cut_point.first, session);
    let (boundary, summed) = (new_uuid(source), new_uuid(source));
    // Before the time of the next record: the oldest client continues from the newest line.
    let timestamp = format_millis(first.millis.map_or(0, |millis| millis - 1));
    let stamp = |uuid: &str, parent: Option<&str>, logical_parent: Option<String>| Placement {
        uuid: uuid.to_owned(),
        parent: parent.map(str::to_owned),
        logical_parent,
        source_assistant: None,
        timestamp: timestamp.clone(),
    };
    let above = transcript.node(cut_point.above).uuid.map(|uuid| uuid.to_string());
    let draft = Draft::compact_boundary(CompactionTrigger::Manual, tokens(&seen), |_| {});
    let mut edit = FileEdit::new(&session.path, &session.bytes);
    let why = "the summarized part ends here";
    edit.insert_after(line - 1, draft.line(&origin, &stamp(&boundary, None, above)), why);
    let draft = Draft::compact_summary(&text);
    let why = "the summary";
    edit.insert_after(line - 1, draft.line(&origin, &stamp(&summed, Some(&boundary), None)), why);
    follow(&mut edit, &transcript, cut_point.first, &summed, "it follows the summary")?;
    for (node, before) in cut_point.behind_progress(&transcript, &graph) {
        follow(
            &mut edit,
            &transcript,
            node,
            &before,
            "it followed progress, which the oldest client cannot cross",
        )?;
    }
    check_seen(&transcript, &edit.result(), &boundary)?;
    let mut plan = Plan::new(format!("compress {}", session.key), &session.root());
    plan.usage_is_off = true;
    plan.notes
        .push("recorded usage stays as it was and no longer matches what a request would cost".to_owned());
    plan.edit(edit);
    Ok(plan)
}

/// Changes the parent of a record.
fn follow(
    edit: &mut FileEdit,
    transcript: &Transcript<'_>,
    node: NodeIndex,
    parent: &str,
    why: &str,
) -> Result<(), CompressError> {
    let line = transcript.node(node).line as usize;
    if transcript.node(node).sharing != LineSharing::Alone {
        return Err(CompressError::Damaged { line });
    }
    let changed = Editor::new(transcript.fields(node).raw()).and_then(|mut editor| {
        editor.replace_string(&[PathStep::Key("parentUuid")], parent)?;
        editor.finish()
    });
    edit.change(line, changed.map_err(|error| CompressError::Edit { line, error })?, why);
    Ok(())
}

/// The approximate number of tokens of the conversation: a quarter of its bytes.
fn tokens(seen: &ResumeResult<'_>) -> u64 {
    seen.messages().iter().map(annals_transcript::resume::ApiMessage::json_len).sum::<usize>() as u64 / 4
}

/// The common fields of a record, for records inserted before it.
fn origin_of(transcript: &Transcript<'_>, node: NodeIndex, session: &Session) -> Origin {
    let envelope = transcript.record(node).envelope();
    let key = session.key.to_string();
    Origin {
        session: envelope.session().map_or(key, |id| id.to_string()),
        agent: None,
        cwd: envelope.cwd().map(|text| text.to_string()).unwrap_or_default(),
        version: envelope.version().map(|text| text.to_string()).unwrap_or_default(),
        git_branch: envelope.git_branch().map(|text| text.to_string()).unwrap_or_default(),
        entrypoint: envelope.entrypoint().map(|text| text.to_string()),
        slug: envelope.slug().map(|text| text.to_string()),
    }
}

/// Checks that every client that resumed the file sends the summary and nothing above its boundary.
fn check_seen(before: &Transcript<'_>, after: &[u8], boundary: &str) -> Result<(), CompressError> {
    let after = Transcript::parse(after);
    let from = after.position(|node| node.uuid.is_some_and(|uuid| uuid.is(boundary)));
    let from = from.unwrap_or(after.end());
    for &client in Client::ALL {
        if resume(before, client).messages().is_empty() {
            continue;
        }
        let now = resume(&after, client);
        let blocks = now.messages().iter().flat_map(|message| &message.blocks);
        let nodes: Vec<_> = blocks
            .filter_map(|block| match block.origin {
                resume::BlockOrigin::Record(node) => Some(node),
                resume::BlockOrigin::Filler(_) => None,
            })
            .collect();
        // Clients that copy replies find lines of one response on both sides, wherever they are.
        let known = after.nodes();
        let stay: HashSet<_> =
            nodes.iter().filter(|&&node| node > from).filter_map(|&node| known[node].message).collect();
        let is_copy = |node: NodeIndex| known[node].message.is_some_and(|message| stay.contains(&message));
        if !nodes.contains(&from.next()) || nodes.iter().any(|&node| node < from && !is_copy(node)) {
            return Err(CompressError::NotSeen { client });
        }
    }
    Ok(())
}
