//! The options of a search.

use crate::tools::InputError;
use crate::tools::input::Input;

/// The names of the output modes.
pub(super) const MODES: [&str; 3] = ["files_with_matches", "content", "count"];

/// How many lines or files are shown by default.
const DEFAULT_LIMIT: usize = 250;
/// The most lines around a match.
const MAX_CONTEXT: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputMode {
    Files,
    Content,
    Count,
}

impl OutputMode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Files => "files_with_matches",
            Self::Content => "content",
            Self::Count => "count",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct GrepOptions {
    pub(super) pattern: String,
    pub(super) glob: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) mode: OutputMode,
    pub(super) fold_case: bool,
    pub(super) numbers: bool,
    pub(super) only_matching: bool,
    pub(super) before: usize,
    pub(super) after: usize,
    /// `None` for all.
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) multiline: bool,
}

impl GrepOptions {
    pub(super) fn read(input: &Input<'_>) -> Result<Self, InputError> {
        let pattern = input.text("pattern")?;
        if pattern.is_empty() {
            return Err(InputError("The pattern is empty.".to_owned()));
        }
        let mode = match input.text_if("output_mode")?.as_deref() {
            None | Some("files_with_matches") => OutputMode::Files,
            Some("content") => OutputMode::Content,
            Some("count") => OutputMode::Count,
            Some(other) => {
                return Err(InputError(format!(
                    "output_mode is {other:?}, but must be one of {}.",
                    MODES.join(", ")
                )));
            }
        };
        let around =
            |key| Ok::<_, InputError>(input.count_if(key)?.map(|count| count.min(MAX_CONTEXT) as usize));
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
                None => Some(DEFAULT_LIMIT),
                Some(0) => None,
                Some(limit) => Some(clamp(limit)),
            },
            offset: input.count_if("offset")?.map_or(0, clamp),
            multiline: input.flag("multiline")?,
        })
    }
}
