//! Problems of a file: what, where, and how severe. A problem never stops parsing.

use std::fmt;

/// A range of bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte, counted from the start of the file.
    pub offset: usize,
    /// The number of bytes.
    pub length: usize,
}

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Unusual but harmless.
    Note,
    /// Something may be missing from what a client shows or sends.
    Warning,
    /// Something is lost, or a client refuses it.
    Error,
}

impl Severity {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal, $severity:ident;)*) => {
        /// What can be wrong with a file. `docs/problems.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ProblemKind {
            $($(#[doc = $doc])* $name,)*
        }

        impl ProblemKind {
            /// All kinds, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The stable name, used in `--json`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }

            /// The explanation, in a sentence.
            pub fn explanation(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),*).trim_ascii(),)*
                }
            }
        }
    };
}

kinds! {
    /// The file starts with a byte order mark.
    ByteOrderMark = "byte-order-mark", Note;
    /// The line ends in a carriage return and a newline.
    CarriageReturn = "carriage-return", Note;
    /// The line is empty.
    Blank = "blank", Note;
    /// A run of NUL bytes, as a crash of the machine leaves it.
    NulRun = "nul-run", Warning;
    /// The last line has no newline: the next record would be glued to it.
    NoFinalNewline = "no-final-newline", Note;
    /// The last line breaks off in the middle of a record.
    TornTail = "torn-tail", Error;
    /// A line breaks off in the middle of a record.
    TornLine = "torn-line", Error;
    /// A complete record follows something else on the same line.
    SplicedLine = "spliced-line", Error;
    /// Two or more complete records are on one line.
    TwoObjects = "two-objects", Error;
    /// A record takes several lines: clients that read line by line lose it.
    SpanningRecord = "spanning-record", Error;
    /// White space that JSON does not allow surrounds the record: most clients do not read it.
    PaddedLine = "padded-line", Error;
    /// The line is not JSON.
    NotJson = "not-json", Error;
    /// The line is JSON, but not an object.
    NotAnObject = "not-an-object", Error;
    /// The line is so large that clients may fail on it.
    Oversize = "oversize", Warning;
    /// Bytes that are not UTF-8.
    InvalidUtf8 = "invalid-utf8", Warning;
    /// Half of a surrogate pair: JavaScript writes it, strict readers refuse it.
    LoneSurrogate = "lone-surrogate", Note;
    /// A record type that annals does not know.
    UnknownRecord = "unknown-record", Note;
    /// A line of the chain lacks what clients need: uuid, timestamp or message.
    IncompleteRecord = "incomplete-record", Error;
    /// The same uuid on several lines: the last one counts.
    DuplicateUuid = "duplicate-uuid", Note;
    /// The parent is not in the file: what came before may be lost.
    DanglingParent = "dangling-parent", Error;
    /// The parent comes later in the file.
    ForwardReference = "forward-reference", Note;
    /// The parents form a loop.
    Cycle = "cycle", Error;
    /// A tool call without a result.
    UnansweredToolUse = "unanswered-tool-use", Warning;
    /// A result whose tool call is not in the file.
    OrphanToolResult = "orphan-tool-result", Warning;
    /// A second result for one tool call.
    DuplicateToolResult = "duplicate-tool-result", Note;
    /// A response that has thinking and nothing else: it is not sent again.
    ThinkingOnly = "thinking-only", Note;
    /// A compaction boundary that no summary follows.
    BoundaryWithoutSummary = "boundary-without-summary", Warning;
    /// The file's name is not the session that its lines name.
    WrongFileName = "wrong-file-name", Warning;
    /// The lines name several sessions: clients take them for one.
    MixedSessions = "mixed-sessions", Warning;
    /// Two clients wrote prompts at the same time: each hides what the other wrote.
    InterleavedConversations = "interleaved-conversations", Warning;
    /// A sub-agent that no tool call started.
    UnlinkedAgent = "unlinked-agent", Note;
    /// A tool result names an overflow file that is not there.
    MissingOverflow = "missing-overflow", Warning;
    /// A side file whose session is gone.
    OrphanFile = "orphan-file", Note;
    /// Empty session file.
    EmptyFile = "empty-file", Note;
    /// A sub-agent file that only warmed up the cache.
    WarmUp = "warm-up", Note;
    /// An entry of sessions-index.json that is out of date or names no file.
    StaleIndexEntry = "stale-index-entry", Warning;
    /// A file or folder that cannot be opened: what is in it is not known.
    UnreadableFile = "unreadable-file", Error;
    /// A side file that cannot be parsed or read.
    UnreadableSideFile = "unreadable-side-file", Warning;
}

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The line, counted from 1; 0 for the file as a whole.
    pub line: usize,
    /// The bytes that it concerns.
    pub span: Span,
    /// Details beyond the kind.
    pub detail: Option<String>,
}

impl Problem {
    /// Makes a problem without details.
    pub fn new(kind: ProblemKind, line: usize, span: Span) -> Self {
        Self { kind, line, span, detail: None }
    }

    /// Adds details.
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// The explanation with details.
    pub fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} ({detail})", self.kind.explanation().trim_end_matches('.')),
            None => self.kind.explanation().to_owned(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(formatter, "line {}, byte {}: ", self.line, self.span.offset)?;
        }
        formatter.write_str(&self.message())
    }
}
