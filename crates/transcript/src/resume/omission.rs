//! Why a record, or a block of it, is not sent.

use crate::id::RecordId;
use crate::transcript::NodeIndex;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $sentence:literal;)*) => {
        /// Why a record or block is not sent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum OmissionReason {
            $($(#[$doc])* $name,)*
        }

        impl OmissionReason {
            /// All reasons.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The reason as a sentence.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }
        }
    };
}

reasons! {
    /// It is not alone on its line, or the line is damaged.
    Unread = "this client cannot read its line";
    /// A later record has the same id.
    Replaced = "a later line has the same uuid and replaces it";
    /// It belongs to a sub-agent.
    Sidechain = "it belongs to a sub-agent";
    /// It is on another branch.
    OtherBranch = "it is on a different branch from the line the conversation ends with";
    /// It is not linked to the conversation.
    NotConnected = "no line links it to the line the conversation ends with";
    /// It is before the last compaction.
    BeforeCompaction = "it is before the last compaction";
    /// It is not among what the compaction after it kept.
    DroppedByCompaction = "the compaction that followed did not keep it";
    /// It follows the last message.
    BehindLastMessage = "this client ends the conversation with its last message";
    /// A progress record, which no model sees.
    Progress = "progress is only displayed";
    /// It is a notice of the client.
    Notice = "a notice of the client, only displayed";
    /// An attachment that the client does not render.
    AttachmentNotWorded = "this client does not send such attachments";
    /// The client's report of a failed request.
    ApiError = "the client's own report of a failed request";
    /// A message without content.
    Empty = "it has no content";
    /// A reply of white space.
    BlankReply = "a reply with only white space";
    /// A reply of thinking.
    ThinkingAlone = "a reply with only thinking";
    /// A call without a result.
    UnansweredCall = "its tool call was never answered";
    /// A call whose id was used before.
    RepeatedCall = "a tool call with an id that was used before";
    /// A result that does not follow its call.
    ResultWithoutCall = "a tool result that does not follow its call";
    /// One more result for a call.
    RepeatedResult = "a second result for the same tool call";
    /// A server-side call without a result.
    UnansweredServerCall = "a server tool call without its result";
    /// A mark that another model went on.
    Fallback = "a model change marker, which this client does not send";
}

/// A record, or a block of it, that is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedRecord<'a> {
    /// The record's id.
    pub uuid: Option<RecordId<'a>>,
    /// The record's place in the transcript.
    pub node: NodeIndex,
    /// Why.
    pub reason: OmissionReason,
}

/// Collects the reasons of all steps.
#[derive(Debug, Default)]
pub(super) struct OmissionLog(Vec<(NodeIndex, OmissionReason)>);

impl OmissionLog {
    pub(super) fn note(&mut self, index: NodeIndex, reason: OmissionReason) {
        self.0.push((index, reason));
    }

    /// In the order of the file, each reason once per record.
    pub(super) fn into_sorted(mut self) -> Vec<(NodeIndex, OmissionReason)> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}
