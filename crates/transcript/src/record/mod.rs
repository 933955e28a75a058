//! Typed records: one view for each type, `Unknown` for the rest.

mod attachment;
mod chain;
mod kind;
mod progress;
mod side;
mod system;
mod words;

pub use attachment::{Attachment, AttachmentBody, AttachmentKind};
pub use chain::{Assistant, AssistantMessage, Envelope, ForkedFrom, User, UserMessage};
pub use kind::RecordKind;
pub use progress::{Progress, ProgressData, ProgressKind};
pub use side::*;
pub use system::{CompactMetadata, PreservedMessages, PreservedSegment, System, SystemKind};

use annals_json::{Fields, Text};

macro_rules! records {
    ($($kind:ident),* $(,)?) => {
        /// One record, as the view of its type.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is named after the view that it holds")]
        #[non_exhaustive]
        pub enum Record<'a> {
            $($kind($kind<'a>),)*
            /// A record of unknown type, or without one.
            Unknown(Fields<'a>),
        }

        impl<'a> Record<'a> {
            /// Reads an object as the record that its `type` names.
            pub fn new(fields: Fields<'a>) -> Self {
                match RecordKind::of(fields.text("type")) {
                    $(RecordKind::$kind => Self::$kind($kind::new(fields)),)*
                    RecordKind::Unknown | RecordKind::Untyped => Self::Unknown(fields),
                }
            }

            /// The kind of the record.
            pub fn kind(&self) -> RecordKind {
                match self {
                    $(Self::$kind(_) => RecordKind::$kind,)*
                    Self::Unknown(fields) => RecordKind::of(fields.text("type")),
                }
            }

            /// All its fields, in order, known or not.
            pub fn fields(&self) -> &Fields<'a> {
                match self {
                    $(Self::$kind(view) => view.fields(),)*
                    Self::Unknown(fields) => fields,
                }
            }

            /// The keys that the record's view has a name for; the envelope's are among them for chain records.
            pub fn known_keys(&self) -> &'static [&'static str] {
                match self {
                    $(Self::$kind(_) => $kind::KNOWN_KEYS,)*
                    Self::Unknown(_) => &[],
                }
            }
        }
    };
}

records! {
    User, Assistant, System, Attachment, Progress, FileHistorySnapshot, FileHistoryDelta, Summary, QueueOperation,
    PrLink, CustomTitle, AiTitle, LastPrompt, Tag, Mode, PermissionMode, AgentName, AgentSetting, FrameLink,
    CostState, WorktreeState, Relocated, BridgeSession, ContentReplacement, ForkContextRef, ToolsUsed, AtisLatch,
    ApiRequest,
}

impl<'a> Record<'a> {
    /// The common fields of chain records; all absent on others.
    pub fn envelope(&self) -> Envelope<'a> {
        Envelope::new(self.fields().clone())
    }

    /// The word in `type`, as written.
    pub fn type_name(&self) -> Option<Text<'a>> {
        self.fields().text("type")
    }
}
