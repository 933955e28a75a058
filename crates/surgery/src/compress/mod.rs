//! Compress: older turns become a summary, as after a compaction by the client; the last turns stay as they are.
//!
//! The boundary and the summary are put before the first turn that stays, and that turn now follows the summary. So every
//! client sends the summary and the turns that stay, whether it knows of kept messages or not; no id comes twice, no usage is
//! counted twice, and everything that was summed up still stands in the file, above the boundary.

mod cut;
mod extract;
mod material;
mod summary;

use std::collections::HashSet;

use annals_json::edit::{EditError, Editor, Step};
use annals_store::source::{Source, new_uuid};
use annals_transcript::draft::{CompactionTrigger, Draft, Origin, Stamp};
use annals_transcript::graph::Graph;
use annals_transcript::objects::Standing;
use annals_transcript::resume::{self, Client, Resumed, resume};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;
use crate::plan::Plan;
use crate::session::Session;
use cut::Cutting;

/// Why a session cannot be compressed.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// Nobody resumes it.
    #[error("the newest client would not resume it")]
    NotResumed,
    /// Nothing is older than what stays.
    #[error(
        "there is nothing to compress: it has {turns} turns since its beginning or last compaction, and {kept} stay"
    )]
    TooFewTurns {
        /// Turns that could be summed up or stay.
        turns: usize,
        /// Turns that stay.
        kept: usize,
    },
    /// A line of what stays holds more than its record.
    #[error("line {line} holds more than one record: it cannot be edited before it is repaired")]
    Damaged {
        /// The line.
        line: usize,
    },
    /// A client would still send what was summed up, or not the summary.
    #[error("{client} would not go on from the summary")]
    NotSeen {
        /// The client.
        client: Client,
    },
    /// A line of what stays could not be put behind another one.
    #[error("line {line}: {error}")]
    Edit {
        /// The line.
        line: usize,
        /// Why.
        error: EditError,
    },
}

/// Who writes the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author<'a> {
    /// Nobody: it is an extract.
    Nobody,
    /// Somebody, in these words.
    Somebody(&'a str),
}

/// Plans a summary of all turns but the last `kept`, without a model. Ids come from `source`.
pub fn compress(session: &Session, kept: usize, source: &dyn Source) -> Result<Plan, CompressError> {
    plan(session, kept, Author::Nobody, source)
}

/// The same with a summary that somebody has written of [what is summed up](what_is_old).
pub fn compress_as(
    session: &Session,
    kept: usize,
    summary: &str,
    source: &dyn Source,
) -> Result<Plan, CompressError> {
    plan(session, kept, Author::Somebody(summary), source)
}

/// All turns but the last `kept`, in words that somebody can sum up.
pub fn what_is_old(session: &Session, kept: usize) -> Result<String, CompressError> {
    let transcript = session.transcript();
    let seen = resume(&transcript, Client::NEWEST);
    let cutting = Cutting::find(&transcript, &Graph::new(&transcript), &seen, kept)?;
    Ok(material::of(&transcript, &cutting.old))
}

fn plan(
    session: &Session,
    kept: usize,
    author: Author<'_>,
    source: &dyn Source,
) -> Result<Plan, CompressError> {
    let transcript = session.transcript();
    let graph = Graph::new(&transcript);
    let seen = resume(&transcript, Client::NEWEST);
    let cutting = Cutting::find(&transcript, &graph, &seen, kept)?;
    let first = &transcript.nodes()[cutting.first];
    let line = first.line as usize;
    let text = match author {
        Author::Nobody => summary::of(&extract::turns_of(&transcript, &cutting.old)),
        Author::Somebody(words) => summary::by_somebody(words),
    };
    let origin = origin_of(&transcript, cutting.first, session);
    let (boundary, summed) = (new_uuid(source), new_uuid(source));
    // Before the turn that follows: the oldest client goes on from the newest line.
    let timestamp = format_millis(first.millis.map_or(0, |millis| millis - 1));
    let stamp = |uuid: &str, parent: Option<&str>, logical_parent: Option<String>| Stamp {
        uuid: uuid.to_owned(),
        parent: parent.map(str::to_owned),
        logical_parent,
        source_assistant: None,
        timestamp: timestamp.clone(),
    };
    let above = transcript.nodes()[cutting.above].uuid.map(|uuid| uuid.to_string());
    let draft = Draft::compact_boundary(CompactionTrigger::Manual, tokens(&seen), |_| {});
    let mut edit = FileEdit::new(&session.path, &session.bytes);
    let why = "what is summed up ends here";
    edit.insert_after(line - 1, draft.line(&origin, &stamp(&boundary, None, above)), why);
    let draft = Draft::compact_summary(&text);
    let why = "the summary";
    edit.insert_after(line - 1, draft.line(&origin, &stamp(&summed, Some(&boundary), None)), why);
    follow(&mut edit, &transcript, cutting.first, &summed, "it follows the summary")?;
    for (node, before) in cutting.behind_progress(&transcript, &graph) {
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
    plan.notes.push("usage stays as it was counted: it no longer says what a request would cost".to_owned());
    plan.edit(edit);
    Ok(plan)
}

/// Makes a record follow another one.
fn follow(
    edit: &mut FileEdit,
    transcript: &Transcript<'_>,
    node: NodeIndex,
    parent: &str,
    why: &str,
) -> Result<(), CompressError> {
    let line = transcript.nodes()[node].line as usize;
    if transcript.nodes()[node].standing != Standing::Alone {
        return Err(CompressError::Damaged { line });
    }
    let mended = Editor::new(transcript.fields(node).raw()).and_then(|mut editor| {
        editor.replace_string(&[Step::Key("parentUuid")], parent)?;
        editor.finish()
    });
    edit.change(line, mended.map_err(|error| CompressError::Edit { line, error })?, why);
    Ok(())
}

/// About how many tokens the conversation has: a quarter of its bytes.
fn tokens(seen: &Resumed<'_>) -> u64 {
    let mut json = Vec::new();
    seen.messages().iter().for_each(|message| message.write_json(&mut json));
    json.len() as u64 / 4
}

/// The surroundings of a line, for lines that are put before it.
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

/// Every client that resumed the file sends the summary and nothing that stands above its boundary.
fn check_seen(before: &Transcript<'_>, after: &[u8], boundary: &str) -> Result<(), CompressError> {
    let after = Transcript::parse(after);
    let from = after.nodes().iter().position(|node| node.uuid.is_some_and(|uuid| uuid.is(boundary)));
    let from = from.unwrap_or(after.nodes().len());
    for &client in Client::ALL {
        if resume(before, client).messages().is_empty() {
            continue;
        }
        let now = resume(&after, client);
        let blocks = now.messages().iter().flat_map(|message| &message.blocks);
        let nodes: Vec<_> = blocks
            .filter_map(|block| match block.origin {
                resume::Origin::Record(node) => Some(node),
                resume::Origin::Filler(_) => None,
            })
            .collect();
        // A client that copies replies leaves lines of one response on both sides; it finds them wherever they stand.
        let known = after.nodes();
        let stay: HashSet<_> =
            nodes.iter().filter(|&&node| node > from).filter_map(|&node| known[node].message).collect();
        let is_copy = |node: NodeIndex| known[node].message.is_some_and(|message| stay.contains(&message));
        if !nodes.contains(&(from + 1)) || nodes.iter().any(|&node| node < from && !is_copy(node)) {
            return Err(CompressError::NotSeen { client });
        }
    }
    Ok(())
}
