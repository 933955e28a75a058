//! Edit: replaces one text of a file by another, exactly.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::answer::{at_once, object};
use super::context::ToolContext;
use super::files::TextFormat;
use super::input::Input;
use super::line_limit::first_fitting;
use super::patch::structured;
use super::quotes;
use super::read_files::{Fingerprint, ReadExtent, ReadState};
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::EditTool;

/// Edits files.
pub struct Edit {
    context: Arc<ToolContext>,
}

/// What to replace.
struct Replacement {
    old: String,
    new: String,
    times: ReplaceCount,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplaceCount {
    Once,
    All,
}

impl Edit {
    /// The tool for this session.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    fn edit(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let times = if input.flag("replace_all")? { ReplaceCount::All } else { ReplaceCount::Once };
        let change = Replacement { old: input.text("old_string")?, new: input.text("new_string")?, times };
        let path = input.words("file_path")?;
        if change.old == change.new {
            return refuse("old_string and new_string are the same: there is nothing to change.");
        }
        let resolved = self.context.follow(&path, agreed)?;
        let real = &resolved.real;
        let found = self.context.look(real)?;
        let before = found.as_deref().map(Fingerprint::of);
        let (form, text) = match &found {
            None if change.old.is_empty() => (TextFormat::NEW, String::new()),
            None => return refuse("File does not exist."),
            Some(found) => TextFormat::read(found).ok_or_else(|| {
                InputError("The file is not a text file, so it cannot be edited.".to_owned())
            })?,
        };
        // A file that was read in part stays so: the model has not seen the rest.
        let extent = match &found {
            Some(found) => may_edit(self.context.read_files.state_of(real, found))?,
            None => ReadExtent::Whole,
        };
        let edited = change.apply(&text, form)?;
        let bytes = form.spell(&edited).map_err(|error| InputError(error.to_string()))?;
        self.context.change(real, before, &bytes, extent)?;
        let spelled = resolved.spelled.display().to_string();
        let (plain, plain_edited) = (text.replace("\r\n", "\n"), edited.replace("\r\n", "\n"));
        let kept = |original: Option<&str>, patch: &[u8]| {
            object(|kept| {
                kept.string("filePath", &spelled)
                    .string("oldString", &change.old)
                    .string("newString", &change.new);
                kept.string_or_null("originalFile", original).raw("structuredPatch", patch);
                kept.boolean("userModified", false).boolean("replaceAll", change.times == ReplaceCount::All);
            })
        };
        let (original, patch) = (before.map(|_| plain.as_str()), structured(&plain, &plain_edited));
        let kept =
            first_fitting(&[&|| kept(original, &patch), &|| kept(None, &patch), &|| kept(None, b"[]")]);
        Ok(Outcome::text(format!("The file {spelled} was edited."), kept).changing(real.clone()))
    }
}

impl Replacement {
    /// The text after the replacement. Endings of other lines stay as they are.
    fn apply(&self, text: &str, form: TextFormat) -> Result<String, InputError> {
        if self.old.is_empty() {
            return match text.is_empty() {
                true => Ok(form.ended(&self.new)),
                false => refuse("old_string is empty, but the file is not: give the text to replace."),
            };
        }
        // A file with `\r\n` is shown with `\n`: it is searched as it was shown, and edited as it is.
        let ends: Vec<usize> =
            text.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        let plain = text.replace("\r\n", "\n");
        let wanted = if ends.is_empty() { self.old.clone() } else { self.old.replace("\r\n", "\n") };
        let places = find(&plain, &wanted);
        match (places.len(), self.times) {
            (0, _) => {
                return refuse(&format!("String to replace not found in file.\nString: {}", self.old));
            }
            (count, ReplaceCount::Once) if count > 1 => {
                return refuse(&format!(
                    "Found {count} matches of the string to replace, but replace_all is false. Include more of the surrounding text, or set replace_all.\nString: {}",
                    self.old
                ));
            }
            _ => {}
        }
        let at_in_file = |at: usize| at + ends.partition_point(|end| *end < at);
        let mut out = String::with_capacity(text.len() + self.new.len());
        let mut done = 0;
        for place in places {
            out.push_str(&text[done..at_in_file(place.start)]);
            out.push_str(&form.ended(&quotes::like(&self.new, &wanted, &plain[place.clone()])));
            done = at_in_file(place.end);
        }
        out.push_str(&text[done..]);
        Ok(out)
    }
}

/// The places of a text: exactly as it is, or, if it is nowhere, with other quotation marks.
fn find(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let exact: Vec<_> = text.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    if exact.is_empty() { quotes::find(text, wanted) } else { exact }
}

/// How much of the file the model has read; an error if it must be read first.
pub(super) fn may_edit(state_of: ReadState) -> Result<ReadExtent, InputError> {
    match state_of {
        ReadState::Known(extent) => Ok(extent),
        ReadState::Unread => refuse("File has not been read yet. Read it first before writing to it."),
        ReadState::Changed(_) => {
            refuse("File has been modified since it was read. Read it again before editing it.")
        }
    }
}

fn refuse<T>(why: &str) -> Result<T, InputError> {
    Err(InputError(why.to_owned()))
}

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "Edit",
            "Replaces text in a file. The file must have been read before. old_string must match the file exactly (straight quotation marks match curly ones), without the line numbers that Read shows, and must occur only once unless replace_all is set. An empty old_string creates a new file.",
        )
        .required("file_path", ParamType::Text, "Absolute path of the file")
        .required("old_string", ParamType::Text, "The text to replace")
        .required("new_string", ParamType::Text, "The replacement")
        .optional("replace_all", ParamType::Flag, "Replace every occurrence; default false")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn forget(&self) {
        self.context.read_files.forget_all();
    }

    fn context(&self) -> Option<&ToolContext> {
        Some(&self.context)
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        input.text("old_string")?;
        input.text("new_string")?;
        input.flag("replace_all")?;
        Ok(ToolRequest::Edit(EditTool::Edit, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.edit(input, call.agreed))
    }
}
