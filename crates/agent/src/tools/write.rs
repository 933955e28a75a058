//! Write: creates a file, or replaces one that the model has read.

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::answer::{at_once, object};
use super::context::ToolContext;
use super::files::TextFormat;
use super::input::Input;
use super::line_limit::first_fitting;
use super::patch::structured;
use super::read_files::{Fingerprint, ReadExtent, ReadState};
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::EditTool;

/// Writes files.
pub struct Write {
    context: Arc<ToolContext>,
}

impl Write {
    /// The tool for this session.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    fn write(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let (path, content) = (input.words("file_path")?, input.text("content")?);
        let resolved = self.context.follow(&path, agreed)?;
        let real = &resolved.real;
        let found = self.context.look(real)?;
        let before = found.as_deref().map(Fingerprint::of);
        let mut old = None;
        let mut form = TextFormat::NEW;
        if let Some(found) = &found {
            may_overwrite(self.context.read_files.state_of(real, found))?;
            // A binary file is replaced too, but no difference is shown.
            if let Some((old_form, text)) = TextFormat::read(found) {
                form = old_form;
                old = Some(text.replace("\r\n", "\n"));
            }
        }
        let bytes = form.spell(&form.ended(&content)).map_err(|error| InputError(error.to_string()))?;
        self.context.change(real, before, &bytes, ReadExtent::Whole)?;
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
        let kept = first_fitting(&[&|| kept(old, patch), &|| kept(None, patch), &|| kept(None, b"[]")]);
        let said = if before.is_some() { "was overwritten" } else { "was created" };
        Ok(Outcome::text(format!("The file {spelled} {said}."), kept).changing(real.clone()))
    }
}

fn may_overwrite(state_of: ReadState) -> Result<(), InputError> {
    let why = match state_of {
        ReadState::Known(ReadExtent::Whole) => return Ok(()),
        ReadState::Known(ReadExtent::Part) => {
            "Only a part of the file has been read. Read all of it before writing to it."
        }
        ReadState::Unread => "File has not been read yet. Read it first before writing to it.",
        ReadState::Changed(_) => {
            "File has been modified since it was read. Read it again before writing to it."
        }
    };
    Err(InputError(why.to_owned()))
}

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "Write",
            "Writes a whole file. An existing file is replaced, and must have been read in full before. Missing folders are created. To change part of a file, use Edit.",
        )
        .required("file_path", ParamType::Text, "Absolute path of the file")
        .required("content", ParamType::Text, "The whole content of the file")
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
        input.text("content")?;
        Ok(ToolRequest::Edit(EditTool::Write, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.write(input, call.agreed))
    }
}
