//! Going back to an earlier prompt: the conversation goes on from the line before it, in the same file. Going back writes
//! nothing, as with the original; the next line hangs from there, and what was said since stays in the file as a branch.

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, Origin, Stamp};
use annals_transcript::graph::Graph;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{prompt_text, turns};

use super::{Conversation, State, spoken};

/// A turn that can be gone back to: before its prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastTurn {
    /// The id of the prompt's line.
    pub prompt: String,
    /// What was said.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
}

/// Why there is no way back.
#[derive(Debug, thiserror::Error)]
pub enum GoBackError {
    /// The conversation has no such prompt.
    #[error("there is no prompt {0} in the conversation")]
    NoSuchPrompt(String),
    /// The session cannot be read.
    #[error(transparent)]
    Session(#[from] AppendError),
}

/// The line from which the conversation goes on; none where it begins anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WentBack {
    pub(super) to: Option<String>,
}

impl Conversation<'_> {
    /// The turns of the conversation as it stands, oldest first; those of branches that were left are not among them, and of a
    /// session that is large those since its last compaction: clients read nothing before it.
    pub fn turns(&self) -> Result<Vec<PastTurn>, AppendError> {
        let State::Open(keeping) = &self.state else { return Ok(Vec::new()) };
        let bytes = keeping.gist()?;
        let transcript = Transcript::parse(&bytes);
        let tip = match &self.went_back {
            Some(back) => back.to.as_deref(),
            None => keeping.state().tip(),
        };
        let on_the_way = way_to(&transcript, tip);
        let past = turns(&transcript).into_iter().filter(|turn| on_the_way[turn.prompt]);
        let past = past.filter_map(|turn| {
            let Record::User(user) = transcript.record(turn.prompt) else { return None };
            let prompt = transcript.nodes()[turn.prompt].uuid?.to_string();
            Some(PastTurn { prompt, text: prompt_text(&user), millis: turn.started })
        });
        Ok(past.collect())
    }

    /// Goes back to before a prompt. What the next request says ends there.
    pub fn go_back_to(&mut self, prompt: &str) -> Result<(), GoBackError> {
        let unknown = || GoBackError::NoSuchPrompt(prompt.to_owned());
        if !self.turns()?.iter().any(|turn| turn.prompt == prompt) {
            return Err(unknown());
        }
        let State::Open(keeping) = &self.state else { return Err(unknown()) };
        let mut bytes = keeping.gist()?.into_owned();
        let to = {
            let transcript = Transcript::parse(&bytes);
            let graph = Graph::new(&transcript);
            let nodes = transcript.nodes();
            let at = nodes.iter().position(|node| node.uuid.is_some_and(|id| id.is(prompt)));
            let before = graph.parent(at.ok_or_else(unknown)?);
            before.and_then(|node| nodes[node].uuid).map(|id| id.to_string())
        };
        self.messages = match &to {
            None => Vec::new(),
            Some(line) => {
                // Only for the moment: so a client says that a person went back, and so its own rules are asked.
                point_at(&mut bytes, line, keeping.origin());
                spoken::rebuild(&bytes, self.thread, self.thinking_from.as_deref()).messages
            }
        };
        self.is_stale = false;
        self.went_back = Some(WentBack { to });
        Ok(())
    }

    /// The first line after going back hangs from where the person went; a boundary says what it sums up.
    pub(super) fn led_back(&mut self, draft: Draft) -> Draft {
        if !draft.kind().is_chain() {
            return draft;
        }
        let Some(WentBack { to }) = self.went_back.take() else { return draft };
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

fn point_at(bytes: &mut Vec<u8>, line: &str, origin: &Origin) {
    let draft = Draft::last_prompt("", Some(line)).field("explicit", b"true");
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(&draft.line(origin, &Stamp::default()));
    bytes.push(b'\n');
}

/// Which lines lead to a line, summaries notwithstanding.
fn way_to(transcript: &Transcript<'_>, tip: Option<&str>) -> Vec<bool> {
    let nodes = transcript.nodes();
    let graph = Graph::new(transcript);
    let named = |id: &str| nodes.iter().position(|node| node.uuid.is_some_and(|uuid| uuid.is(id)));
    let above = |node: NodeIndex| {
        let logical = || transcript.fields(node).text("logicalParentUuid").map(|id| id.to_string());
        graph.parent(node).or_else(|| named(&logical()?))
    };
    let mut seen = vec![false; nodes.len()];
    let mut at = tip.and_then(named);
    while let Some(node) = at.filter(|&node| !seen[node]) {
        seen[node] = true;
        at = above(node);
    }
    seen
}
