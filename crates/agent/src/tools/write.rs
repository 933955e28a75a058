//! Write: a whole file, new or in the place of one that the model has read.

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

/// Writes files.
pub struct Write {
    ground: Arc<Ground>,
}

impl Write {
    /// On this ground.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self { ground }
    }

    fn write(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let (path, content) = (input.words("file_path")?, input.text("content")?);
        let resolved = self.ground.follow(&path, agreed)?;
        let real = &resolved.real;
        let found = self.ground.look(real)?;
        let before = found.as_deref().map(Print::of);
        let mut old = None;
        let mut form = Form::NEW;
        if let (Some(found), Some(print)) = (&found, before) {
            may_overwrite(self.ground.seen.standing(real, print))?;
            // What is no text is replaced all the same; there is nothing to show of it.
            if let Some((old_form, text)) = Form::read(found) {
                form = old_form;
                old = Some(text.replace("\r\n", "\n"));
            }
        }
        let bytes = form.spell(&form.ended(&content)).map_err(|error| InputError(error.to_string()))?;
        self.ground.change(real, before, &bytes, Extent::Whole)?;
        let spelled = resolved.spelled.display().to_string();
        let kept = |original: Option<&str>, patch: &[u8]| {
            object(|kept| {
                kept.string("type", if before.is_some() { "update" } else { "create" });
                kept.string("filePath", &spelled).string("content", &content);
                kept.raw("structuredPatch", patch).string_or_null("originalFile", original);
                kept.boolean("userModified", false);
            })
        };
        let old = old.as_deref();
        let patch = old.map(|old| structured(old, &content.replace("\r\n", "\n")));
        let patch = patch.as_deref().unwrap_or(b"[]");
        let kept = fitting(&[&|| kept(old, patch), &|| kept(None, patch), &|| kept(None, b"[]")]);
        let said = if before.is_some() { "was written anew" } else { "was created" };
        Ok(Outcome::text(format!("The file {spelled} {said}."), kept).changing(real.clone()))
    }
}

fn may_overwrite(standing: Standing) -> Result<(), InputError> {
    let why = match standing {
        Standing::Known(Extent::Whole) => return Ok(()),
        Standing::Known(Extent::Part) => {
            "Only a part of the file has been read. Read all of it before writing to it."
        }
        Standing::Unread => "File has not been read yet. Read it first before writing to it.",
        Standing::Changed(_) => {
            "File has been modified since it was read. Read it again before writing to it."
        }
    };
    Err(InputError(why.to_owned()))
}

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "Write",
            "Writes a file as a whole. A file that is there is replaced, and must have been read in full before. Folders that are missing are made. To change a part of a file, use Edit.",
        )
        .needs("file_path", Holds::Text, "Absolute path of the file")
        .needs("content", Holds::Text, "All that the file shall hold")
        .build()
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        let input = Input::of(input);
        input.text("content")?;
        Ok(Asked::Edit(EditTool::Write, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        at_once(move || self.write(input, scene.agreed))
    }
}
