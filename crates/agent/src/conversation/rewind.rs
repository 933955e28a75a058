//! Rewinding to an earlier prompt: the conversation continues before it, in the same file. Like the original, rewinding
//! writes nothing; the next line gets the new parent, and what came since stays in the file as a branch.

use std::collections::HashSet;

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, Origin, Placement};
use annals_transcript::graph::Graph;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::{NodeIndex, NodeMap, Transcript};
use annals_transcript::turn::{prompt_text, turns};

use super::messages::{self, ApiMessage, RebuiltMessages};
use super::{Conversation, PastCalls, SessionState};

/// A turn that the conversation can be rewound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastTurn {
    /// The uuid of the prompt.
    pub prompt: String,
    /// The text of the prompt.
    pub text: String,
    /// The time of the prompt, in milliseconds since 1970.
    pub millis: Option<i64>,
}

/// What the model has in its context on both sides of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SplitLines {
    /// The text of the prompt.
    pub(crate) text: String,
    /// The lines before it.
    pub(crate) before: Vec<String>,
    /// Its line, and those since.
    pub(crate) after: Vec<String>,
    /// The messages before it.
    pub(crate) messages: Vec<ApiMessage>,
}

/// Why a conversation cannot be rewound.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// The conversation has no such prompt.
    #[error("the conversation has no prompt {0}")]
    NoSuchPrompt(String),
    /// The session has no such message.
    #[error("the session has no message {0}")]
    NoSuchMessage(String),
    /// The session cannot be read.
    #[error(transparent)]
    Session(#[from] AppendError),
}

/// Where a conversation continues, to come back there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversationTip {
    /// The line that the next one follows.
    line: Option<String>,
    point: Option<RewindPoint>,
}

/// The parent of the next line; `None` if the conversation restarts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RewindPoint {
    pub(super) to: Option<String>,
}

impl Conversation<'_> {
    /// Returns the turns of the current branch, oldest first. Of a large session only those since its last compaction are
    /// read, as clients do.
    pub fn turns(&self) -> Result<Vec<PastTurn>, AppendError> {
        let SessionState::Open(backend) = &self.state else { return Ok(Vec::new()) };
        let bytes = backend.tail()?;
        let transcript = Transcript::parse(&bytes);
        let tip = match &self.rewind_point {
            Some(back) => back.to.as_deref(),
            None => backend.state().tip(),
        };
        let on_the_way = ancestors_of(&transcript, tip);
        let past = turns(&transcript).into_iter().filter(|turn| on_the_way[turn.prompt]);
        let past = past.filter_map(|turn| {
            let Record::User(user) = transcript.record(turn.prompt) else { return None };
            let prompt = transcript.node(turn.prompt).uuid?.to_string();
            Some(PastTurn { prompt, text: prompt_text(&user), millis: turn.started })
        });
        Ok(past.collect())
    }

    /// Returns whether the conversation was rewound and nothing was written since.
    pub fn is_rewound(&self) -> bool {
        self.rewind_point.is_some()
    }

    /// Rewinds the conversation to before a prompt.
    pub fn rewind_to(&mut self, prompt: &str) -> Result<(), RewindError> {
        let unknown = || RewindError::NoSuchPrompt(prompt.to_owned());
        if !self.turns()?.iter().any(|turn| turn.prompt == prompt) {
            return Err(unknown());
        }
        let SessionState::Open(backend) = &self.state else { return Err(unknown()) };
        let bytes = backend.tail()?.into_owned();
        let to = line_before(&bytes, prompt).ok_or_else(unknown)?;
        self.continue_at(bytes, to);
        Ok(())
    }

    /// Returns where the conversation continues.
    pub(crate) fn tip(&self) -> ConversationTip {
        let line = match &self.rewind_point {
            Some(point) => point.to.clone(),
            None => self.tip_in_file(),
        };
        ConversationTip { line, point: self.rewind_point.clone() }
    }

    /// Continues where the conversation was before it was rewound for something that failed. What was written meanwhile is a
    /// branch without a continuation.
    pub(crate) fn go_back_to(&mut self, before: ConversationTip) {
        let SessionState::Open(backend) = &self.state else { return };
        let is_unwritten = self.tip_in_file() == before.line || before.point.is_some();
        let Ok(bytes) = backend.tail().map(|bytes| bytes.into_owned()) else { return };
        self.continue_at(bytes, before.line);
        if is_unwritten {
            self.rewind_point = before.point;
        }
    }

    /// The last line of the conversation in the file.
    fn tip_in_file(&self) -> Option<String> {
        let SessionState::Open(backend) = &self.state else { return None };
        backend.state().tip().map(str::to_owned)
    }

    /// Returns what the model has in its context on both sides of a prompt.
    pub(crate) fn split_at(&self, prompt: &str) -> Result<SplitLines, RewindError> {
        let unknown = || RewindError::NoSuchPrompt(prompt.to_owned());
        let text = self.turns()?.into_iter().find(|turn| turn.prompt == prompt).ok_or_else(unknown)?.text;
        let SessionState::Open(backend) = &self.state else { return Err(unknown()) };
        let mut bytes = backend.tail()?.into_owned();
        let before = line_before(&bytes, prompt).ok_or_else(unknown)?;
        if let Some(RewindPoint { to: Some(line) }) = &self.rewind_point {
            point_at(&mut bytes, line, backend.origin());
        }
        let mut lines = lines_in_context(&bytes);
        // A compaction may have removed it.
        let at = lines.iter().position(|line| line == prompt).ok_or_else(unknown)?;
        let after = lines.split_off(at);
        let messages = match &before {
            None => Vec::new(),
            Some(line) => {
                point_at(&mut bytes, line, backend.origin());
                messages::rebuild(&bytes, self.thread, &self.thinking).messages
            }
        };
        Ok(SplitLines { text, before: lines, after, messages })
    }

    /// Continues the conversation behind a message, as if what came after it had not been said.
    pub fn resume_at(&mut self, message: &str) -> Result<(), RewindError> {
        let unknown = || RewindError::NoSuchMessage(message.to_owned());
        let SessionState::Open(backend) = &self.state else { return Err(unknown()) };
        let bytes = backend.tail()?.into_owned();
        let is_known = {
            let transcript = Transcript::parse(&bytes);
            transcript.position(|node| node.uuid.is_some_and(|id| id.is(message))).is_some()
        };
        if !is_known {
            return Err(unknown());
        }
        self.continue_at(bytes, Some(message.to_owned()));
        Ok(())
    }

    fn continue_at(&mut self, mut bytes: Vec<u8>, to: Option<String>) {
        let SessionState::Open(backend) = &self.state else { return };
        let rebuilt = match &to {
            None => RebuiltMessages::default(),
            Some(line) => {
                // A temporary record, as a client writes it after a rewind: so its own rules apply.
                point_at(&mut bytes, line, backend.origin());
                messages::rebuild(&bytes, self.thread, &self.thinking)
            }
        };
        // The model no longer knows what its tools returned since.
        self.past = PastCalls::Unread;
        self.adopt(rebuilt);
        self.open_calls.clear();
        self.is_stale = false;
        self.rewind_point = Some(RewindPoint { to });
    }

    /// Gives the first line after a rewind its parent; a compact boundary gets a logical parent instead.
    pub(super) fn with_rewind_parent(&mut self, draft: Draft) -> Draft {
        if !draft.kind().is_chain() {
            return draft;
        }
        let Some(RewindPoint { to }) = self.rewind_point.take() else { return draft };
        self.is_stale = true;
        let subtype = draft.value("subtype").and_then(|value| value.text());
        let is_boundary =
            draft.kind() == RecordKind::System && SystemKind::of(subtype) == SystemKind::CompactBoundary;
        match (is_boundary, to) {
            (true, Some(line)) => draft.with_logical_parent(&line),
            (_, to) => draft.with_parent(to.as_deref()),
        }
    }
}

/// Returns the parent of a prompt, which may have none; `None` if there is no such prompt.
fn line_before(bytes: &[u8], prompt: &str) -> Option<Option<String>> {
    let transcript = Transcript::parse(bytes);
    let graph = Graph::new(&transcript);
    let at = transcript.position(|node| node.uuid.is_some_and(|id| id.is(prompt)))?;
    Some(graph.parent(at).and_then(|node| transcript.node(node).uuid).map(|id| id.to_string()))
}

/// Returns the lines that the newest client sends, in their order.
fn lines_in_context(bytes: &[u8]) -> Vec<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, Client::NEWEST);
    let (mut lines, mut seen) = (Vec::new(), HashSet::new());
    for block in resumed.messages().iter().flat_map(|message| &message.blocks) {
        let BlockOrigin::Record(node) = block.origin else { continue };
        if seen.insert(node) {
            lines.extend(transcript.node(node).uuid.map(|uuid| uuid.to_string()));
        }
    }
    lines
}

fn point_at(bytes: &mut Vec<u8>, line: &str, origin: &Origin) {
    let draft = Draft::last_prompt("", Some(line)).field("explicit", b"true");
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(&draft.line(origin, &Placement::default()));
    bytes.push(b'\n');
}

/// Returns which lines are ancestors of a line, also across compactions.
fn ancestors_of(transcript: &Transcript<'_>, tip: Option<&str>) -> NodeMap<bool> {
    let graph = Graph::new(transcript);
    let named = |id: &str| transcript.position(|node| node.uuid.is_some_and(|uuid| uuid.is(id)));
    let above = |node: NodeIndex| {
        let logical = || transcript.fields(node).text("logicalParentUuid").map(|id| id.to_string());
        graph.parent(node).or_else(|| named(&logical()?))
    };
    let mut seen = NodeMap::new(transcript, false);
    let mut at = tip.and_then(named);
    while let Some(node) = at.filter(|&node| !seen[node]) {
        seen[node] = true;
        at = above(node);
    }
    seen
}
