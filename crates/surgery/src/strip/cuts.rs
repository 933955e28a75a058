//! Decides what to remove from each record.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use annals_json::edit::{EditError, Editor, PathStep};
use annals_transcript::content::Block;
use annals_transcript::graph::Graph;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::response::responses_of;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::lines;
use super::selection::CallSelection;

#[derive(Debug)]
pub(super) enum RecordEdit {
    /// Its line is removed.
    Line {
        why: String,
    },
    Parts(RecordParts),
}

/// Parts of a record to remove or replace.
#[derive(Debug, Default)]
pub(super) struct RecordParts {
    /// Blocks of its content to remove, by position.
    pub(super) gone: BTreeSet<usize>,
    pub(super) replaced: Vec<(Vec<PathStep<'static>>, Vec<u8>)>,
    pub(super) keys: Vec<&'static str>,
    /// Descriptions of what is removed.
    pub(super) what: BTreeSet<String>,
}

impl RecordParts {
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.replaced.is_empty()
    }

    pub(super) fn why(&self) -> String {
        let what: Vec<_> = self.what.iter().map(String::as_str).collect();
        what.join(", ")
    }

    /// The record after the edit.
    pub(super) fn apply(&self, raw: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut editor = Editor::new(raw)?;
        if !self.gone.is_empty() {
            let content = [PathStep::Key("message"), PathStep::Key("content")];
            editor.remove_items(&content, |place| self.gone.contains(&place))?;
        }
        for key in &self.keys {
            editor.remove(&[], key)?;
        }
        for (path, json) in &self.replaced {
            editor.replace(path, json)?;
        }
        editor.finish()
    }
}

/// The edits of all records.
pub(super) fn cuts(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    selection: &CallSelection<'_>,
) -> BTreeMap<NodeIndex, RecordEdit> {
    let mut cuts = BTreeMap::new();
    for (node, record) in transcript.records() {
        let cut = match &record {
            Record::Assistant(assistant) => lines::of_reply(assistant, node, selection),
            Record::User(user) => lines::of_user(user, node, selection),
            Record::Progress(progress) => lines::of_progress(progress, node, selection),
            Record::Attachment(attachment) => lines::of_attachment(attachment, node, selection),
            _ => None,
        };
        if let Some(cut) = cut {
            cuts.insert(node, cut);
        }
    }
    drop_silent_replies(transcript, &mut cuts);
    if cuts.values().any(|cut| matches!(cut, RecordEdit::Line { .. })) {
        drop_progress_between(transcript, graph, &mut cuts);
    }
    cuts
}

/// Removes progress records inside the conversation: the oldest client cannot cross them and starts after them, which may
/// be in the middle of a reply once other lines are removed.
fn drop_progress_between(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    cuts: &mut BTreeMap<NodeIndex, RecordEdit>,
) {
    for (node, known) in transcript.indexed_nodes() {
        if known.kind == RecordKind::Progress && !graph.is_leaf(node) {
            cuts.entry(node)
                .or_insert_with(|| RecordEdit::Line { why: "progress inside the conversation".to_owned() });
        }
    }
}

/// Removes trailing thinking and blank texts of replies that lost something: the API accepts neither.
fn drop_silent_replies(transcript: &Transcript<'_>, cuts: &mut BTreeMap<NodeIndex, RecordEdit>) {
    for response in responses_of(transcript, transcript.indices()) {
        if !response.nodes.iter().any(|node| cuts.contains_key(node)) {
            continue;
        }
        let mut places: HashMap<NodeIndex, usize> = HashMap::new();
        let mut left: Vec<(NodeIndex, usize, Block<'_>)> = Vec::new();
        for (node, block) in response.blocks(transcript) {
            let next = places.entry(node).or_default();
            let place = std::mem::replace(next, *next + 1);
            let is_gone = match cuts.get(&node) {
                Some(RecordEdit::Line { .. }) => true,
                Some(RecordEdit::Parts(parts)) => parts.gone.contains(&place),
                None => false,
            };
            if !is_gone {
                left.push((node, place, block));
            }
        }
        let silent = left.iter().rev().take_while(|(_, _, block)| is_silent(block)).count();
        let spoken = left.len() - silent;
        for (at, (node, place, block)) in left.into_iter().enumerate() {
            let is_blank = matches!(block, Block::Text(_)) && is_silent(&block);
            if at < spoken && !is_blank {
                continue;
            }
            let cut = cuts.entry(node).or_insert_with(|| RecordEdit::Parts(RecordParts::default()));
            if let RecordEdit::Parts(parts) = cut {
                parts.gone.insert(place);
                let what = if is_blank { "white space" } else { "thinking with nothing after it" };
                parts.what.insert(what.to_owned());
            }
        }
        for (&node, &count) in &places {
            if let Some(RecordEdit::Parts(parts)) = cuts.get(&node)
                && parts.gone.len() == count
            {
                let why = parts.why();
                cuts.insert(node, RecordEdit::Line { why });
            }
        }
    }
}

/// Whether a block is thinking or blank.
fn is_silent(block: &Block<'_>) -> bool {
    match block {
        Block::Thinking(_) | Block::RedactedThinking(_) => true,
        Block::Text(text) => text.text().is_none_or(|text| text.decode().trim().is_empty()),
        _ => false,
    }
}
