//! What one client does differently from another, as data: the steps read it, and no step asks for a version.

use super::client::Client;
use super::{v2_0_76, v2_1_112, v2_1_325};

/// Which line the conversation ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafRule {
    /// The newest timestamp.
    NewestTimestamp,
    /// The only line that nothing hangs from; where there are several, the last line of the file.
    LoneTipElseLastLine,
    /// The last line of the file, or what hangs from it and is newer; then what `last-prompt` says.
    LastLineThenLastPrompt,
}

/// How much of a line on which more than one object stands is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedLineRule {
    /// Nothing.
    Unread,
    /// The first object.
    FirstObject,
}

/// How much of a large file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LargeFileRule {
    /// All of it.
    Whole,
    /// From the last boundary that kept no messages.
    FromLastPlainBoundary,
}

/// What becomes of lines behind the last message: notices and attachments.
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
    /// History goes on with the line just before it in time.
    NearestInTime,
}

/// Whether progress lines link others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressRule {
    /// The client does not know them: a line that hangs from one has a missing parent.
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
    /// Results that name its calls, wherever they hang, and what hangs below, in the order of the file.
    Descendants,
}

/// What is done about calls and results that do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairingRule {
    /// A call without a result goes; results are sent as they are.
    CallsOnly,
    /// A result must follow its call: others go, missing ones are filled in.
    Repaired,
    /// The same, after results just before their call were put behind it.
    MovedAndRepaired,
}

/// What becomes of a call at the very end that was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenCallRule {
    /// It goes, as anywhere else.
    Dropped,
    /// It stays, with an error for its result.
    AnsweredWithError,
}

/// How lines of one response that do not stand together are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinRule {
    /// Over tool results only.
    OverResults,
    /// Over tool results and other responses.
    OverResultsAndResponses,
}

/// What stands between two texts of the user that run together.
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
    /// Calls last.
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

/// What content that is no list of blocks does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentRule {
    /// The file is refused, unless it is a prompt that is a string.
    Strict,
    /// A string is a text; what is no content is nothing.
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

/// What becomes of a first message that held nothing but results without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrphanRule {
    /// It goes.
    Dropped,
    /// It says so.
    Named,
}

/// Whether the mark that another model went on is sent.
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

/// What becomes of half characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurrogateRule {
    /// They are sent as they are.
    Kept,
    /// U+FFFD is sent instead.
    Replaced,
}

/// What is put behind a conversation that ends with the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndRule {
    /// A reply, if the very last line is the user's.
    AfterLastLine,
    /// A reply, if the last message is the user's; a prompt to go on before it, if a result or an attachment came last.
    GoOnAndReply,
    /// A reply, if the last message is the user's.
    AfterLastMessage,
}

/// The rules of one client.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) shared_line: SharedLineRule,
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
    /// Tools that have another name now: calls of the file are sent with it.
    pub(super) renamed_tools: &'static [(&'static str, &'static str)],
    /// Kinds of attachments that this client words for the model, beside those that all do.
    pub(super) attachments: &'static [&'static str],
}

impl Rules {
    /// The rules of a client.
    pub(super) fn of(client: Client) -> &'static Self {
        match client {
            Client::V2_0_76 => &v2_0_76::RULES,
            Client::V2_1_112 => &v2_1_112::RULES,
            Client::V2_1_325 => &v2_1_325::RULES,
        }
    }
}
