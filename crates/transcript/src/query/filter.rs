//! Filters records by branch, kind, time and content.

use super::live_branch;
use crate::content::{Block, Content};
use crate::graph::Graph;
use crate::record::{Record, RecordKind};
use crate::resume::{self, Client};
use crate::transcript::{NodeIndex, Transcript};
use crate::turn::Speaker;

/// The part of a record in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LineKind {
    /// A prompt of the user.
    Prompt,
    /// Text or thinking of a model.
    Reply,
    /// A tool call or result, possibly with other blocks.
    Tool,
    /// A notice of the client, or an attachment.
    System,
    /// A message of the client in the user's name: expansions, command output, summaries.
    Client,
}

impl LineKind {
    /// Classifies a record; `None` for side records and progress.
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

/// Whether a sort of records is included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inclusion {
    /// Included.
    #[default]
    With,
    /// Excluded.
    Without,
    /// Only these.
    Only,
}

impl Inclusion {
    fn admits(self, is_one: impl FnOnce() -> bool) -> bool {
        match self {
            Self::With => true,
            Self::Without => !is_one(),
            Self::Only => is_one(),
        }
    }
}

/// The records to select from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Every record of the file, in its order.
    #[default]
    File,
    /// The branch that the newest client resumes.
    LiveBranch,
    /// The branch that ends with this record.
    UpTo(NodeIndex),
}

/// Selects records. The default selects all; each field narrows it.
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
    /// The records to select from.
    pub scope: Scope,
    /// Only records of these kinds; all if empty.
    pub kinds: Vec<RecordKind>,
    /// Only records with these parts in the conversation; all if empty.
    pub lines: Vec<LineKind>,
    /// Only from this instant on, in milliseconds since 1970. Records without a time are excluded.
    pub since: Option<i64>,
    /// Only before this instant.
    pub until: Option<i64>,
    /// Tool calls and results.
    pub tools: Inclusion,
    /// Notices of the client and attachments.
    pub system: Inclusion,
    /// Lines that the client wrote for the model.
    pub meta: Inclusion,
    /// Lines of sub-agents.
    pub sidechains: Inclusion,
}

/// Returns the records that pass a filter, in the order of its scope.
pub fn select<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, filter: &Filter) -> Vec<NodeIndex> {
    let nodes = match filter.scope {
        Scope::File => transcript.indices().collect(),
        Scope::LiveBranch => live_branch(transcript, graph),
        Scope::UpTo(leaf) => resume::branch_to(transcript, graph, Client::NEWEST, leaf),
    };
    nodes.into_iter().filter(|&node| filter.admits(transcript, node)).collect()
}

impl Filter {
    /// Whether a record passes, regardless of its branch.
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

    /// The conditions that need the content of the record.
    fn admits_content(&self, transcript: &Transcript<'_>, index: NodeIndex) -> bool {
        if self.lines.is_empty() && self.tools == Inclusion::With {
            return true;
        }
        let kind = LineKind::of(&transcript.record(index));
        let is_line = self.lines.is_empty() || kind.is_some_and(|kind| self.lines.contains(&kind));
        is_line && self.tools.admits(|| kind == Some(LineKind::Tool))
    }
}
