//! What is typed, in a program of the person: `$VISUAL`, `$EDITOR`, else `vi`.

use std::path::{Path, PathBuf};
use std::process::Command;

use annals_store::files::{create_file, create_folder};
use annals_store::read::read_below;
use annals_store::source::new_uuid;

use super::ScreenUi;
use crate::context::Context;
use crate::drafts;
use crate::source::SystemSource;

/// The program, and the folder of the file that it edits.
#[derive(Debug)]
pub(super) struct ExternalEditor {
    program: String,
    folder: Option<PathBuf>,
    source: SystemSource,
}

impl ExternalEditor {
    pub(super) fn new(context: &Context) -> Self {
        let variable = |name: &str| {
            let found = context.variables.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.to_str()).map(str::trim).filter(|value| !value.is_empty())
        };
        let program = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or("vi").to_owned();
        let folder = context.data_dir().ok().map(|data| data.path().to_path_buf());
        if let Some(folder) = &folder {
            drafts::remove_left_behind(folder);
        }
        Self { program, folder, source: context.source }
    }

    /// Opens a file, and returns when the program ends; an error says why that failed.
    pub(super) fn open(&self, path: &Path) -> Result<(), String> {
        let mut words = self.program.split_whitespace();
        match Command::new(words.next().unwrap_or("vi")).args(words).arg(path).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{}: {status}", self.program)),
            Err(error) => Err(format!("{}: {error}", self.program)),
        }
    }

    /// Lets the person edit a text; an error says why that failed.
    fn edit(&self, text: &str) -> Result<String, String> {
        let folder = self.folder.as_ref().ok_or("there is no data folder")?;
        let path = folder.join(drafts::name(&new_uuid(&self.source)));
        create_folder(folder).map_err(|error| error.to_string())?;
        create_file(&path, text.as_bytes()).map_err(|error| error.to_string())?;
        let edited = self.open(&path).map_err(|error| format!("{error}; the text is unchanged"));
        let edited = edited.and_then(|()| read_below(folder, &path).map_err(|error| error.to_string()));
        let removed = std::fs::remove_file(&path);
        let edited = edited.map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())?;
        removed.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(edited)
    }
}

impl ScreenUi {
    /// Gives the terminal to the editor of the person, and takes the text that it leaves.
    pub(super) fn edit_elsewhere(&mut self) -> std::io::Result<()> {
        if self.screen.is_working() {
            // The editor would hold up the turn.
            self.screen.hint("wait for the turn to end before opening an editor");
            return Ok(());
        }
        let text = self.screen.editor().text();
        match self.run_editor(|editor| editor.edit(&text))? {
            Ok(text) => self.screen.editor().set_text(&text),
            Err(error) => self.screen.hint(&error),
        }
        Ok(())
    }

    /// Gives the terminal to the editor of the person, and takes it back.
    pub(super) fn run_editor<R>(&mut self, run: impl FnOnce(&ExternalEditor) -> R) -> std::io::Result<R> {
        let edited = {
            let _keys = self.keys.lock();
            self.terminal.leave()?;
            let edited = run(&self.external_editor);
            self.terminal.enter_again()?;
            edited
        };
        self.terminal.resize(&mut self.screen);
        Ok(edited)
    }
}
