//! What a search is asked for.

use crate::tools::InputError;
use crate::tools::input::Input;

/// The words for what is shown.
pub(super) const MODES: [&str; 3] = ["files_with_matches", "content", "count"];

/// Lines or files that are shown where nothing else is asked for.
const USUAL_LIMIT: usize = 250;
/// Lines around a match.
const MOST_AROUND: u64 = 1000;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Files,
    Content,
    Count,
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Files => "files_with_matches",
            Self::Content => "content",
            Self::Count => "count",
        }
    }
}

/// How a search goes.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) pattern: String,
    pub(super) glob: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) mode: Mode,
    pub(super) fold_case: bool,
    pub(super) numbers: bool,
    pub(super) only_matching: bool,
    pub(super) before: usize,
    pub(super) after: usize,
    /// None: all.
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) multiline: bool,
}

impl Options {
    pub(super) fn read(input: &Input<'_>) -> Result<Self, InputError> {
        let pattern = input.text("pattern")?;
        if pattern.is_empty() {
            return Err(InputError("The pattern is empty.".to_owned()));
        }
        let mode = match input.text_if("output_mode")?.as_deref() {
            None | Some("files_with_matches") => Mode::Files,
            Some("content") => Mode::Content,
            Some("count") => Mode::Count,
            Some(other) => {
                return Err(InputError(format!(
                    "output_mode is {other:?}, and must be one of {}.",
                    MODES.join(", ")
                )));
            }
        };
        let around =
            |key| Ok::<_, InputError>(input.count_if(key)?.map(|count| count.min(MOST_AROUND) as usize));
        let both = around("-C")?.or(around("context")?);
        let clamp = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Self {
            pattern,
            glob: input.text_if("glob")?.filter(|glob| !glob.is_empty()),
            kind: input.text_if("type")?.filter(|kind| !kind.is_empty()),
            mode,
            fold_case: input.flag("-i")?,
            numbers: input.value("-n").is_none() || input.flag("-n")?,
            only_matching: input.flag("-o")?,
            before: around("-B")?.or(both).unwrap_or(0),
            after: around("-A")?.or(both).unwrap_or(0),
            limit: match input.count_if("head_limit")? {
                None => Some(USUAL_LIMIT),
                Some(0) => None,
                Some(limit) => Some(clamp(limit)),
            },
            offset: input.count_if("offset")?.map_or(0, clamp),
            multiline: input.flag("multiline")?,
        })
    }
}
