//! What was done in one file: turns, tool calls, compactions.

use std::sync::Arc;

use crate::id_hash::IdHash;
use crate::pairing::{ToolPair, ToolPairs};
use crate::record::SystemKind;
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::turns;
use crate::{pack_fields, pack_words};
use annals_json::{Fields, Text};

/// Turns, tool calls and compactions of one file.
#[derive(Clone, Debug, Default)]
pub struct FileActivity {
    pub(super) turns: Vec<TurnFacts>,
    pub(super) calls: Vec<CallFacts>,
    pub(super) compactions: Vec<(IdHash, Option<i64>)>,
}

#[derive(Clone, Debug)]
pub(super) struct TurnFacts {
    pub(super) mark: IdHash,
    pub(super) started: Option<i64>,
    pub(super) duration: Option<u64>,
    pub(super) interrupted: bool,
}

#[derive(Clone, Debug)]
pub(super) struct CallFacts {
    pub(super) mark: IdHash,
    pub(super) tool: Arc<str>,
    pub(super) millis: Option<i64>,
    pub(super) duration: Option<u64>,
    pub(super) outcome: Outcome,
    pub(super) file: Option<(Arc<str>, FileAccessKind)>,
    /// The kind of sub-agent that the call starts.
    pub(super) agent_kind: Option<Arc<str>>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Failed,
    Unanswered,
}

/// What a call does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileAccessKind {
    Read,
    Changed,
}

pack_fields! {
    FileActivity { turns, calls, compactions }
    TurnFacts { mark, started, duration, interrupted }
    CallFacts { mark, tool, millis, duration, outcome, file, agent_kind }
}

pack_words! {
    Outcome { Done, Failed, Unanswered }
    FileAccessKind { Read, Changed }
}

impl FileActivity {
    /// Collects the activity of a file. In a sub-agent's file the prompts come from its caller and are not turns: drop them
    /// with [`without_turns`](Self::without_turns).
    pub fn of(transcript: &Transcript<'_>) -> Self {
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut name = |text: &str| match names.iter().find(|name| &***name == text) {
            Some(name) => Arc::clone(name),
            None => {
                names.push(text.into());
                Arc::clone(&names[names.len() - 1])
            }
        };
        let nodes = transcript.nodes();
        let mark_of = |index: NodeIndex| {
            let uuid = nodes[index].uuid.map(|uuid| uuid.to_string());
            // Records without an id are identified by their bytes.
            uuid.map_or_else(
                || IdHash::of(transcript.fields(index).raw()),
                |uuid| IdHash::of(uuid.as_bytes()),
            )
        };
        let turns = turns(transcript).into_iter().map(|turn| TurnFacts {
            mark: mark_of(turn.prompt),
            started: turn.started,
            duration: turn.duration_ms(),
            interrupted: turn.interrupted,
        });
        let pairs = ToolPairs::new(transcript);
        let calls = pairs.pairs.iter().map(|pair| CallFacts {
            mark: IdHash::of(pair.id.text().decode().as_bytes()),
            tool: name(&pair.name.map_or_else(|| "(no name)".into(), Text::decode)),
            millis: nodes[pair.call].millis,
            duration: pair.duration_ms(transcript),
            outcome: match pair.result {
                None => Outcome::Unanswered,
                Some(_) if pair.is_error => Outcome::Failed,
                Some(_) => Outcome::Done,
            },
            file: touched(pair).map(|(path, touch)| (name(&path.decode()), touch)),
            agent_kind: kind_of_agent(pair).map(|kind| name(&kind.decode())),
        });
        let is_compaction = |index: &NodeIndex| nodes[*index].system == Some(SystemKind::CompactBoundary);
        let compactions = transcript.indices().filter(is_compaction);
        Self {
            turns: turns.collect(),
            calls: calls.collect(),
            compactions: compactions.map(|index| (mark_of(index), nodes[index].millis)).collect(),
        }
    }

    /// Drops the turns.
    #[must_use]
    pub fn without_turns(self) -> Self {
        Self { turns: Vec::new(), ..self }
    }
}

/// The file that a call reads or changes, by the tools that name one.
fn touched<'a>(pair: &ToolPair<'a>) -> Option<(Text<'a>, FileAccessKind)> {
    let touch = match pair.name?.raw() {
        b"Read" | b"NotebookRead" => FileAccessKind::Read,
        b"Edit" | b"MultiEdit" | b"Write" | b"NotebookEdit" => FileAccessKind::Changed,
        _ => return None,
    };
    let input: &Fields<'a> = pair.input.as_ref()?;
    let path = input.text("file_path").or_else(|| input.text("notebook_path"))?;
    Some((path, touch))
}

/// The kind of sub-agent that a call starts.
fn kind_of_agent<'a>(pair: &ToolPair<'a>) -> Option<Text<'a>> {
    match pair.name?.raw() {
        b"Task" | b"Agent" => pair.input.as_ref()?.text("subagent_type"),
        _ => None,
    }
}
