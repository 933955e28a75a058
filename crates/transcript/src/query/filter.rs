//! Which records of a session: by branch, kind, time, and what they are about.

use super::live_branch;
use crate::content::{Block, Content};
use crate::graph::Graph;
use crate::record::{Record, RecordKind};
use crate::resume::{self, Client};
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::Speaker;

/// What a line is to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineKind {
    /// A person's prompt.
    Prompt,
    /// What a model says or thinks.
    Reply,
    /// A call of a tool, or a tool's result. A line that has other blocks beside one is still a tool's.
    Tool,
    /// A notice of the client, or what it shows the model beside the prompt.
    System,
    /// What the client says in the user's name: expansions, outputs of commands, summaries.
    Client,
}

impl LineKind {
    /// What a record is to the conversation; side records and progress are nothing to it.
    pub fn of(record: &Record<'_>) -> Option<Self> {
        match record {
            Record::User(user) => Some(match Speaker::of(user) {
                Speaker::Tool => Self::Tool,
                speaker if speaker.opens_turn() => Self::Prompt,
                _ => Self::Client,
            }),
            Record::Assistant(assistant) => {
                Some(if has_tool(&assistant.content()) { Self::Tool } else { Self::Reply })
            }
            Record::System(_) | Record::Attachment(_) => Some(Self::System),
            _ => None,
        }
    }
}

fn has_tool(content: &Content<'_>) -> bool {
    content.blocks().any(|block| {
        matches!(block, Block::ToolUse(_) | Block::ServerToolUse(_) | Block::WebSearchToolResult(_))
    })
}

/// Whether some sort of line is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// With the others.
    #[default]
    With,
    /// Not at all.
    Without,
    /// And no others.
    Only,
}

impl Wanted {
    fn admits(self, is_one: impl FnOnce() -> bool) -> bool {
        match self {
            Self::With => true,
            Self::Without => !is_one(),
            Self::Only => is_one(),
        }
    }
}

/// The records to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every record of the file, in its order.
    #[default]
    File,
    /// The live branch.
    LiveBranch,
    /// The branch that ends with this record.
    UpTo(NodeIndex),
}

/// Which records are wanted. The default is all of them; whatever is set narrows it.
///
/// ```
/// use annals_transcript::graph::Graph;
/// use annals_transcript::query::{Filter, LineKind, select};
/// use annals_transcript::transcript::Transcript;
///
/// let file = br#"{"type":"user","uuid":"a","parentUuid":null,"message":{"content":"hello"}}
/// {"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[{"type":"text","text":"hi"}]}}"#;
/// let transcript = Transcript::parse(file);
/// let prompts = Filter { lines: vec![LineKind::Prompt], ..Filter::default() };
/// assert_eq!(select(&transcript, &Graph::new(&transcript), &prompts), [0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The records to choose from.
    pub scope: Scope,
    /// Only records of these types; any where none is named.
    pub kinds: Vec<RecordKind>,
    /// Only lines that are this to the conversation; any where none is named.
    pub lines: Vec<LineKind>,
    /// Only from this instant on, in milliseconds since 1970. A record without a time is outside any bounds.
    pub since: Option<i64>,
    /// Only before this instant.
    pub until: Option<i64>,
    /// Calls of tools and their results.
    pub tools: Wanted,
    /// Notices of the client and attachments.
    pub system: Wanted,
    /// Lines that the client wrote for the model.
    pub meta: Wanted,
    /// Lines of sub-agents.
    pub sidechains: Wanted,
}

/// The records that a filter admits, in the order of its scope.
pub fn select<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, filter: &Filter) -> Vec<NodeIndex> {
    let nodes = match filter.scope {
        Scope::File => (0..transcript.nodes().len()).collect(),
        Scope::LiveBranch => live_branch(transcript, graph),
        Scope::UpTo(leaf) => resume::branch_to(transcript, graph, Client::NEWEST, leaf),
    };
    nodes.into_iter().filter(|&node| filter.admits(transcript, node)).collect()
}

impl Filter {
    /// Whether a record is wanted, whatever branch it is on.
    pub fn admits(&self, transcript: &Transcript<'_>, index: NodeIndex) -> bool {
        let node = &transcript.nodes()[index];
        let is_system = || matches!(node.kind, RecordKind::System | RecordKind::Attachment);
        (self.kinds.is_empty() || self.kinds.contains(&node.kind))
            && self.since.is_none_or(|since| node.millis.is_some_and(|millis| millis >= since))
            && self.until.is_none_or(|until| node.millis.is_some_and(|millis| millis < until))
            && self.meta.admits(|| node.is_meta)
            && self.sidechains.admits(|| node.is_sidechain)
            && self.system.admits(is_system)
            && self.admits_content(transcript, index)
    }

    /// The questions for which a record must be read again.
    fn admits_content(&self, transcript: &Transcript<'_>, index: NodeIndex) -> bool {
        if self.lines.is_empty() && self.tools == Wanted::With {
            return true;
        }
        let kind = LineKind::of(&transcript.record(index));
        let is_line = self.lines.is_empty() || kind.is_some_and(|kind| self.lines.contains(&kind));
        is_line && self.tools.admits(|| kind == Some(LineKind::Tool))
    }
}
