//! Differences between client versions as data, so that no step depends on a version.

use super::client::Client;
use super::{v2_0_76, v2_1_112, v2_1_325};

/// Which line the conversation ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafRule {
    NewestTimestamp,
    /// The only record without children; of several, the last record of the file.
    LoneTipElseLastLine,
    /// The last record of the file or its newest descendant; `last-prompt` overrides it.
    LastLineThenLastPrompt,
}

/// How records are found in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadingRule {
    /// Each line must be one object.
    Lines,
    /// Each line must be one object, apart from any white space around it; a line that is `null` ends the file.
    TrimmedLines,
    /// The file is a stream of values, each of which may take several lines; the rest of its last line is skipped.
    Stream,
}

/// How much of a large file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LargeFileRule {
    /// All of it.
    Whole,
    /// From the last boundary that kept no messages.
    FromLastPlainBoundary,
}

/// What happens to notices and attachments after the last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrailRule {
    /// They stay.
    Kept,
    /// The conversation ends with its last message.
    CutToMessage,
}

/// What a parent that is not in the file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingParentRule {
    /// History starts here.
    HistoryStarts,
    /// History continues with the record just before it in time.
    NearestInTime,
}

/// Whether progress lines link others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressRule {
    /// The client ignores them: their children have a missing parent.
    Unknown,
    /// Chains run through them.
    PassedThrough,
}

/// How the messages that a compaction kept are put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreservedRule {
    /// They are not.
    Ignored,
    /// By `preservedSegment`; a later line whose parent was dropped has a missing parent.
    Segment,
    /// By `preservedMessages`, else `preservedSegment`; a later line whose parent was dropped follows the kept ones.
    MessagesElseSegment,
}

/// How the other calls of a response and their results are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParallelRule {
    /// They are not.
    OnlyChain,
    /// Results directly under a line of the response, by time, before those of the chain.
    Children,
    /// Results that name its calls, on any branch, and their descendants, in the order of the file.
    Descendants,
}

/// What is done about calls and results that do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairingRule {
    /// Calls without a result are dropped; results are sent as they are.
    CallsOnly,
    /// A result must follow its call: others are dropped, missing ones get a filler.
    Repaired,
    /// The same, after results just before their call were moved after it.
    MovedAndRepaired,
}

/// What happens to an unanswered call at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenCallRule {
    /// Dropped, as anywhere else.
    Dropped,
    /// Kept, with an error as its result.
    AnsweredWithError,
}

/// How separated records of one response are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinRule {
    /// Over tool results only.
    OverResults,
    /// Over tool results and other responses.
    OverResultsAndResponses,
}

/// What separates two joined texts of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeamRule {
    /// Nothing.
    Plain,
    /// The first gets a line break.
    LineBreak,
}

/// In which order the blocks of a response are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockOrderRule {
    /// As its lines come.
    AsWritten,
    CallsLast,
}

/// Which empty things are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmptyRule {
    /// Whole replies of white space; thinking alone is sent.
    Replies,
    /// Single lines of white space, and thinking alone.
    LinesAndThinking,
    /// Also single empty blocks, and thinking beside white space.
    LinesThinkingAndBlocks,
}

/// How content that is not a list of blocks is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentRule {
    /// The file is refused, unless it is a prompt that is a string.
    Strict,
    /// A string is a text; other content is empty.
    Lenient,
}

/// How a notification in the user's name is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotificationRule {
    /// As any prompt.
    Prompt,
    /// As a reminder.
    Reminder,
}

/// Whether slash commands that the client answered itself are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalCommandRule {
    /// No.
    NotSent,
    /// As text of the user.
    UserText,
}

/// What happens to a first message with only results without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrphanRule {
    Dropped,
    /// Replaced by a filler.
    Named,
}

/// Whether fallback blocks are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FallbackRule {
    /// Yes.
    Sent,
    /// No.
    Dropped,
}

/// Whether images of a queued prompt are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueuedImageRule {
    /// No.
    NotSent,
    /// Yes.
    Sent,
}

/// How lone surrogates are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurrogateRule {
    /// They are sent as they are.
    Kept,
    /// U+FFFD is sent instead.
    Replaced,
}

/// What is added after a conversation that ends with the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndRule {
    /// A reply, if the very last line is the user's.
    AfterLastLine,
    /// A reply, if the last message is the user's; before it a prompt to continue, if a result or an attachment came last.
    GoOnAndReply,
    /// A reply, if the last message is the user's.
    AfterLastMessage,
}

#[derive(Clone, Debug)]
pub(super) struct ClientRules {
    pub(super) reading: ReadingRule,
    pub(super) large_file: LargeFileRule,
    pub(super) leaf: LeafRule,
    pub(super) trail: TrailRule,
    pub(super) missing_parent: MissingParentRule,
    pub(super) progress: ProgressRule,
    pub(super) preserved: PreservedRule,
    pub(super) parallel: ParallelRule,
    pub(super) pairing: PairingRule,
    pub(super) open_call: OpenCallRule,
    pub(super) join: JoinRule,
    pub(super) order: BlockOrderRule,
    pub(super) seam: SeamRule,
    pub(super) empty: EmptyRule,
    pub(super) content: ContentRule,
    pub(super) notification: NotificationRule,
    pub(super) local_command: LocalCommandRule,
    pub(super) orphan_at_start: OrphanRule,
    pub(super) fallback: FallbackRule,
    pub(super) queued_images: QueuedImageRule,
    pub(super) surrogates: SurrogateRule,
    pub(super) end: EndRule,
    /// Old and new names of renamed tools.
    pub(super) renamed_tools: &'static [(&'static str, &'static str)],
    /// Kinds of attachments that this client renders, besides those that all do.
    pub(super) attachments: &'static [&'static str],
}

impl ClientRules {
    pub(super) fn of(client: Client) -> &'static Self {
        match client {
            Client::V2_0_76 => &v2_0_76::RULES,
            Client::V2_1_112 => &v2_1_112::RULES,
            Client::V2_1_325 => &v2_1_325::RULES,
        }
    }
}
