//! What is cut out of which record.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use annals_json::edit::{EditError, Editor, Step};
use annals_transcript::content::Block;
use annals_transcript::graph::Graph;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::response::responses_of;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::choice::Choice;
use super::lines;

/// What is cut out of a record.
#[derive(Debug)]
pub(super) enum Cut {
    /// Its line goes.
    Line {
        /// Why.
        why: String,
    },
    /// Parts of it go or become something else.
    Parts(Parts),
}

/// Parts of a record that go or become something else.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Blocks of its content that go, by their place.
    pub(super) gone: BTreeSet<usize>,
    /// Values that become others.
    pub(super) replaced: Vec<(Vec<Step<'static>>, Vec<u8>)>,
    /// Keys of the record that go.
    pub(super) keys: Vec<&'static str>,
    /// What goes, in words.
    pub(super) what: BTreeSet<String>,
}

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.replaced.is_empty()
    }

    /// What goes, in words.
    pub(super) fn why(&self) -> String {
        let what: Vec<_> = self.what.iter().map(String::as_str).collect();
        what.join(", ")
    }

    /// The record without them.
    pub(super) fn apply(&self, raw: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut editor = Editor::new(raw)?;
        if !self.gone.is_empty() {
            let content = [Step::Key("message"), Step::Key("content")];
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

/// Everything that is cut out, by record.
pub(super) fn cuts(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    choice: &Choice<'_>,
) -> BTreeMap<NodeIndex, Cut> {
    let mut cuts = BTreeMap::new();
    for (node, record) in transcript.records() {
        let cut = match &record {
            Record::Assistant(assistant) => lines::of_reply(assistant, node, choice),
            Record::User(user) => lines::of_user(user, node, choice),
            Record::Progress(progress) => lines::of_progress(progress, node, choice),
            Record::Attachment(attachment) => lines::of_attachment(attachment, node, choice),
            _ => None,
        };
        if let Some(cut) = cut {
            cuts.insert(node, cut);
        }
    }
    drop_silent_replies(transcript, &mut cuts);
    if cuts.values().any(|cut| matches!(cut, Cut::Line { .. })) {
        drop_progress_between(transcript, graph, &mut cuts);
    }
    cuts
}

/// Progress goes that the conversation runs through: the oldest client cannot cross it and starts behind it, which without the
/// lines that go may be in the midst of a reply.
fn drop_progress_between(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    cuts: &mut BTreeMap<NodeIndex, Cut>,
) {
    for (node, known) in transcript.nodes().iter().enumerate() {
        if known.kind == RecordKind::Progress && !graph.is_leaf(node) {
            cuts.entry(node).or_insert_with(|| Cut::Line {
                why: "progress that the conversation runs through".to_owned(),
            });
        }
    }
}

/// Of a reply that lost something, thinking goes that nothing is said after, and white space: the API takes neither a reply
/// that ends with thinking nor a blank text.
fn drop_silent_replies(transcript: &Transcript<'_>, cuts: &mut BTreeMap<NodeIndex, Cut>) {
    for response in responses_of(transcript, 0..transcript.nodes().len()) {
        if !response.nodes.iter().any(|node| cuts.contains_key(node)) {
            continue;
        }
        let mut places: HashMap<NodeIndex, usize> = HashMap::new();
        let mut left: Vec<(NodeIndex, usize, Block<'_>)> = Vec::new();
        for (node, block) in response.blocks(transcript) {
            let next = places.entry(node).or_default();
            let place = std::mem::replace(next, *next + 1);
            let is_gone = match cuts.get(&node) {
                Some(Cut::Line { .. }) => true,
                Some(Cut::Parts(parts)) => parts.gone.contains(&place),
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
            let cut = cuts.entry(node).or_insert_with(|| Cut::Parts(Parts::default()));
            if let Cut::Parts(parts) = cut {
                parts.gone.insert(place);
                let what = if is_blank { "white space" } else { "thinking that nothing is left to follow" };
                parts.what.insert(what.to_owned());
            }
        }
        for (&node, &count) in &places {
            if let Some(Cut::Parts(parts)) = cuts.get(&node)
                && parts.gone.len() == count
            {
                let why = parts.why();
                cuts.insert(node, Cut::Line { why });
            }
        }
    }
}

/// Whether a block says nothing by itself.
fn is_silent(block: &Block<'_>) -> bool {
    match block {
        Block::Thinking(_) | Block::RedactedThinking(_) => true,
        Block::Text(text) => text.text().is_none_or(|text| text.decode().trim().is_empty()),
        _ => false,
    }
}
