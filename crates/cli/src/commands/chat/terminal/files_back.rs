//! Files of a session taken back to how they were when a prompt was said, while the session is open: only files change,
//! and `annals undo` brings them back.

use std::ops::ControlFlow;
use std::path::Path;

use annals_surgery::Session;
use annals_surgery::rewind::{FileFate, Foreign, Rewinding, Scope, To, Wish, apply, plan};

use super::rewind::FilesBack;
use crate::context::Context;
use crate::words::plural;

/// By the copies that the session keeps.
pub(super) struct KeptCopies<'c>(pub(super) &'c Context);

impl KeptCopies<'_> {
    fn plan(&self, session: &Path, prompt: &str) -> Result<Rewinding, String> {
        let session = Session::load(session).map_err(|error| error.to_string())?;
        let wish = Wish { scope: Scope::Code, foreign: Foreign::Left, home: self.0.home.as_deref() };
        let to = To::Record(prompt.to_owned());
        plan(&session, &[], &to, wish, &self.0.source).map_err(|error| error.to_string())
    }
}

impl FilesBack for KeptCopies<'_> {
    fn preview(&self, session: &Path, prompt: &str) -> Result<Vec<String>, String> {
        let rewinding = self.plan(session, prompt)?;
        let changing = rewinding.files.iter().filter(|file| file.fate != FileFate::Same);
        let line = |file: &annals_surgery::rewind::FileRewind| match file.fate {
            FileFate::Skipped(why) => format!("{}: left as it is, since {}", file.name, why.explanation()),
            fate => format!("{}: {}", file.name, fate.name()),
        };
        Ok(changing.map(line).collect())
    }

    fn apply(&self, session: &Path, prompt: &str) -> Result<String, String> {
        let rewinding = self.plan(session, prompt)?;
        let is_changed = |fate: FileFate| !matches!(fate, FileFate::Same | FileFate::Skipped(_));
        let count = rewinding.files.iter().filter(|file| is_changed(file.fate)).count();
        if count == 0 {
            return Ok("no file was changed".to_owned());
        }
        let data = self.0.data_dir().map_err(|fault| fault.message().to_owned())?;
        let done = apply(&rewinding, &data, &self.0.source, &mut |_| ControlFlow::Continue(()));
        done.map_err(|error| error.to_string())?;
        let files = plural(count as u64, "file", "files");
        Ok(format!("{files} taken back; annals undo brings them back. What commands changed stays"))
    }
}
