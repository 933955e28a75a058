//! Edit: one text of a file replaced by another, exactly, and nothing besides.

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::answer::{at_once, object};
use super::files::Form;
use super::ground::Ground;
use super::input::Input;
use super::kept::fitting;
use super::patch::structured;
use super::seen::{Extent, Print, Standing};
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;
use annals_policy::EditTool;

/// Edits files.
pub struct Edit {
    ground: Arc<Ground>,
}

/// What shall be replaced, and how often.
struct Change {
    old: String,
    new: String,
    times: Times,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    All,
}

impl Edit {
    /// On this ground.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self { ground }
    }

    fn edit(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let times = if input.flag("replace_all")? { Times::All } else { Times::Once };
        let change = Change { old: input.text("old_string")?, new: input.text("new_string")?, times };
        let path = input.words("file_path")?;
        if change.old == change.new {
            return refuse("old_string and new_string are the same: there is nothing to change.");
        }
        let resolved = self.ground.follow(&path, agreed)?;
        let real = &resolved.real;
        let found = self.ground.look(real)?;
        let before = found.as_deref().map(Print::of);
        let (form, text) = match &found {
            None if change.old.is_empty() => (Form::NEW, String::new()),
            None => return refuse("File does not exist."),
            Some(found) => Form::read(found)
                .ok_or_else(|| InputError("The file is not a text: it cannot be edited.".to_owned()))?,
        };
        // What was read in part stays so: the model has not seen the rest.
        let extent = match before {
            Some(print) => may_edit(self.ground.seen.standing(real, print))?,
            None => Extent::Whole,
        };
        let edited = change.apply(&text, form)?;
        let bytes = form.spell(&edited).map_err(|error| InputError(error.to_string()))?;
        self.ground.change(real, before, &bytes, extent)?;
        let spelled = resolved.spelled.display().to_string();
        let (plain, plain_edited) = (text.replace("\r\n", "\n"), edited.replace("\r\n", "\n"));
        let kept = |original: Option<&str>, patch: &[u8]| {
            object(|kept| {
                kept.string("filePath", &spelled)
                    .string("oldString", &change.old)
                    .string("newString", &change.new);
                kept.string_or_null("originalFile", original).raw("structuredPatch", patch);
                kept.boolean("userModified", false).boolean("replaceAll", change.times == Times::All);
            })
        };
        let (original, patch) = (before.map(|_| plain.as_str()), structured(&plain, &plain_edited));
        let kept = fitting(&[&|| kept(original, &patch), &|| kept(None, &patch), &|| kept(None, b"[]")]);
        Ok(Outcome::text(format!("The file {spelled} was edited."), kept).changing(real.clone()))
    }
}

impl Change {
    /// The text after the change. Line ends of lines that are not changed stay as they are.
    fn apply(&self, text: &str, form: Form) -> Result<String, InputError> {
        if self.old.is_empty() {
            return match text.is_empty() {
                true => Ok(form.ended(&self.new)),
                false => refuse("old_string is empty, and the file is not: say what shall be replaced."),
            };
        }
        // A file with `\r\n` is shown with `\n`: it is searched as it was shown, and changed as it is.
        let ends: Vec<usize> =
            text.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        let plain = text.replace("\r\n", "\n");
        let wanted = if ends.is_empty() { self.old.clone() } else { self.old.replace("\r\n", "\n") };
        let places: Vec<usize> = plain.match_indices(&wanted).map(|(at, _)| at).collect();
        match (places.len(), self.times) {
            (0, _) => {
                return refuse(&format!("String to replace not found in file.\nString: {}", self.old));
            }
            (count, Times::Once) if count > 1 => {
                return refuse(&format!(
                    "Found {count} matches of the string to replace, but replace_all is false. Give more of the text around the one that is meant, or set replace_all.\nString: {}",
                    self.old
                ));
            }
            _ => {}
        }
        let at_in_file = |at: usize| at + ends.partition_point(|end| *end < at);
        let new = form.ended(&self.new);
        let mut out = String::with_capacity(text.len() + new.len());
        let mut done = 0;
        for place in places {
            out.push_str(&text[done..at_in_file(place)]);
            out.push_str(&new);
            done = at_in_file(place + wanted.len());
        }
        out.push_str(&text[done..]);
        Ok(out)
    }
}

/// How much of a file was seen that may be edited.
pub(super) fn may_edit(standing: Standing) -> Result<Extent, InputError> {
    match standing {
        Standing::Known(extent) => Ok(extent),
        Standing::Unread => refuse("File has not been read yet. Read it first before writing to it."),
        Standing::Changed(_) => {
            refuse("File has been modified since it was read. Read it again before editing it.")
        }
    }
}

fn refuse<T>(why: &str) -> Result<T, InputError> {
    Err(InputError(why.to_owned()))
}

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "Edit",
            "Replaces a text in a file by another. The file must have been read before. old_string must be in the file exactly as given, without the line numbers that Read shows, and only once, or replace_all must be set. An empty old_string makes a new file.",
        )
        .needs("file_path", Holds::Text, "Absolute path of the file")
        .needs("old_string", Holds::Text, "The text to be replaced")
        .needs("new_string", Holds::Text, "The text that takes its place")
        .may("replace_all", Holds::Flag, "Replace every occurrence; false if not given")
        .build()
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        let input = Input::of(input);
        input.text("old_string")?;
        input.text("new_string")?;
        input.flag("replace_all")?;
        Ok(Asked::Edit(EditTool::Edit, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        at_once(move || self.edit(input, scene.agreed))
    }
}
