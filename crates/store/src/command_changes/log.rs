//! Lines of the log: a file that a command changed, or what was not recorded.

use std::path::PathBuf;

use annals_json::{Fields, object};

use super::copies::is_digest;

/// The version of the lines that this program writes.
const VERSION: u64 = 1;
/// What stands before a digest.
const COPY: &str = "sha256:";

/// The content of a file at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileVersion {
    /// The file did not exist.
    Absent,
    /// The digest of its content, of which there is a copy.
    Copy(String),
    /// There is no copy.
    NotCopied(NoCopyReason),
}

/// Why there is no copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoCopyReason {
    /// The file is larger than [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES).
    TooLarge,
    /// The copies take [`MAX_COPIED_BYTES`](super::MAX_COPIED_BYTES), all of which are in use.
    NoRoom,
    /// It was not watched: it may have been ignored, or be one of too many files.
    Unwatched,
    /// It could not be read, or a rule forbids it.
    Unreadable,
}

impl NoCopyReason {
    const ALL: [Self; 4] = [Self::TooLarge, Self::NoRoom, Self::Unwatched, Self::Unreadable];

    fn name(self) -> &'static str {
        match self {
            Self::TooLarge => "too-large",
            Self::NoRoom => "no-room",
            Self::Unwatched => "unwatched",
            Self::Unreadable => "unreadable",
        }
    }

    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::TooLarge => "a command changed it, and files larger than 1 MB are not copied",
            Self::NoRoom => "a command changed it, and there was no room for a copy: 64 MB per session",
            Self::Unwatched => "a command changed it, and it was not watched before",
            Self::Unreadable => "a command changed it, and it could not be read before",
        }
    }
}

/// Who changed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// The command that was waited for.
    Command,
    /// A command in the background, or anybody else meanwhile.
    Background,
}

/// A file that a command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandChange {
    /// The folder that was watched.
    pub folder: PathBuf,
    /// The file, relative to it.
    pub path: String,
    /// When it was seen, in milliseconds since 1970.
    pub time: i64,
    /// The id of the call.
    pub call: String,
    /// Who changed it.
    pub origin: ChangeOrigin,
    /// The content before.
    pub before: FileVersion,
    /// The permission bits before, if they are known.
    pub mode: Option<u32>,
    /// The content after.
    pub after: FileVersion,
}

/// Something that was not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryGap {
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// Why, for people.
    pub why: String,
}

pub(super) enum LogLine {
    Change(CommandChange),
    Gap(HistoryGap),
}

impl CommandChange {
    /// The line of the log.
    pub fn line(&self) -> Vec<u8> {
        object(|line| {
            line.number("v", VERSION).number("time", self.time).string("call", &self.call);
            line.string("folder", &self.folder.to_string_lossy()).string("path", &self.path);
            line.boolean("background", self.origin == ChangeOrigin::Background);
            line.string("before", &self.before.word()).string("after", &self.after.word());
            if let Some(mode) = self.mode {
                line.number("mode", mode);
            }
        })
    }
}

impl HistoryGap {
    /// The line of the log.
    pub fn line(&self) -> Vec<u8> {
        object(|line| {
            line.number("v", VERSION).number("time", self.time).string("gap", &self.why);
        })
    }
}

impl FileVersion {
    fn word(&self) -> String {
        match self {
            Self::Absent => "absent".to_owned(),
            Self::Copy(digest) => format!("{COPY}{digest}"),
            Self::NotCopied(why) => why.name().to_owned(),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        if word == "absent" {
            return Some(Self::Absent);
        }
        let digest = word.strip_prefix(COPY).filter(|digest| is_digest(digest));
        let copy = digest.map(|digest| Self::Copy(digest.to_owned()));
        copy.or_else(|| NoCopyReason::ALL.into_iter().find(|why| why.name() == word).map(Self::NotCopied))
    }
}

/// Reads a line; `None` if it is damaged, or of a later version.
pub(super) fn parse(line: &[u8]) -> Option<LogLine> {
    let (fields, _) = Fields::scan(line).ok()?;
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    let time = i64::try_from(fields.count("time")?).ok()?;
    if fields.count("v")? != VERSION {
        return None;
    }
    if let Some(why) = text("gap") {
        return Some(LogLine::Gap(HistoryGap { time, why }));
    }
    let is_background = fields.boolean("background")?;
    Some(LogLine::Change(CommandChange {
        folder: text("folder")?.into(),
        path: text("path")?,
        time,
        call: text("call")?,
        origin: if is_background { ChangeOrigin::Background } else { ChangeOrigin::Command },
        before: FileVersion::parse(&text("before")?)?,
        // Older releases wrote none.
        mode: fields.count("mode").and_then(|mode| u32::try_from(mode).ok()).map(|mode| mode & 0o777),
        after: FileVersion::parse(&text("after")?)?,
    }))
}
