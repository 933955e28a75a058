//! Everything that a script runs: its own commands, and those nested in them.

use std::path::{Path, PathBuf};

use crate::paths::{FileSystem, Workspace, is_refused, resolve};
use crate::shell::{
    Command, Hazard, NestedCommand, Redirection, Repetition, Script, Word, WordPart, is_hidden,
    nested_commands,
};

/// The deepest nesting of commands that run commands.
const MAX_LAYERS: usize = 6;

/// The commands, redirections and variables of a script.
#[derive(Debug, Default)]
pub(super) struct ScriptContents {
    /// The commands of the text itself, each of which must be allowed.
    pub(super) own: Vec<Command>,
    /// What those run: looked at by what forbids.
    pub(super) within: Vec<Command>,
    /// What they may run, by one reading of their options.
    pub(super) perhaps: Vec<Command>,
    pub(super) redirections: Vec<Redirection>,
    /// Variables that loops and expansions set.
    pub(super) assigned: Vec<String>,
    /// What runs something that is not shown.
    pub(super) hidden: Vec<String>,
    /// What does not show its effect.
    pub(super) hazards: Vec<Hazard>,
}

impl ScriptContents {
    pub(super) fn new(script: &Script) -> Self {
        let mut found = Self { own: script.commands.clone(), ..Self::default() };
        found.take(script, 0);
        for command in &script.commands {
            found.look(command, 0);
        }
        found
    }

    fn take(&mut self, script: &Script, layer: usize) {
        self.redirections.extend(script.all_redirections().cloned());
        self.hazards.extend(&script.hazards);
        self.assigned.extend(script.assigned.iter().cloned());
        let assignments = script.commands.iter().flat_map(|command| &command.assignments);
        let later = assignments.filter(|assignment| is_hidden(assignment));
        self.hidden.extend(later.map(|assignment| assignment.word.spelling.clone()));
        if layer > 0 {
            self.within.extend(script.commands.iter().cloned());
        }
    }

    fn look(&mut self, command: &Command, layer: usize) {
        if layer >= MAX_LAYERS {
            self.hidden.push(command.spelling());
            return;
        }
        for nested in nested_commands(command) {
            match nested {
                NestedCommand::Command(command) => {
                    self.look(&command, layer + 1);
                    self.within.push(command);
                }
                NestedCommand::Script(script) => {
                    self.take(&script, layer + 1);
                    script.commands.iter().for_each(|command| self.look(command, layer + 1));
                }
                NestedCommand::Perhaps(command) => self.perhaps.push(command),
                NestedCommand::Hidden(what) => self.hidden.push(what),
            }
        }
    }

    /// Every command, own and within.
    pub(super) fn all(&self) -> impl Iterator<Item = &Command> {
        self.own.iter().chain(&self.within)
    }
}

/// A word as a path, where it is known.
pub(super) fn path_of(word: &Word, workspace: &Workspace) -> Option<String> {
    let mut out = String::new();
    for (place, piece) in word.parts.iter().enumerate() {
        match piece {
            WordPart::Text(text) => out.push_str(text),
            // The folder in which the command runs, whichever that is.
            WordPart::Variable { name, .. } if name == "PWD" => {
                let behind = word.parts.get(place + 1);
                let is_whole = behind
                    .is_none_or(|next| matches!(next, WordPart::Text(text) if text.starts_with(['/', ':'])));
                out.push_str(Some(".").filter(|_| is_whole)?);
            }
            WordPart::Home => out.push_str(&workspace.home()?.to_string_lossy()),
            WordPart::Variable { name, .. } if name == "HOME" => {
                out.push_str(&workspace.home()?.to_string_lossy())
            }
            _ => return None,
        }
    }
    Some(out)
}

/// More folders than this are as good as any folder.
const MAX_FOLDERS: usize = 8;

/// The folders in which commands of a text can run: the current folder and each that a `cd` leads to, from each of the
/// others. `None` where that is not known.
pub(super) fn folders(
    inside: &ScriptContents,
    files: &dyn FileSystem,
    workspace: &Workspace,
) -> Option<Vec<PathBuf>> {
    let mut folders = vec![workspace.current().to_path_buf()];
    for command in inside.all() {
        let stripped = crate::shell::strip(command);
        let Some(command) = stripped.last() else { continue };
        match command.name().as_deref() {
            Some("cd" | "pushd") => {}
            Some("popd") => return None,
            // What is named by a variable may be `cd`, and so may what evaluates text; both are asked for anyway.
            _ => continue,
        }
        let target = match &command.words[1..] {
            [] => workspace.home()?.to_string_lossy().into_owned(),
            [word] => path_of(word, workspace)?,
            _ => return None,
        };
        if command.repetition == Repetition::Many || target.starts_with('-') || target.is_empty() {
            return None;
        }
        for folder in folders.clone() {
            let resolved =
                resolve(files, &folder, Path::new(&target)).ok().filter(|path| !is_refused(path))?;
            // Our bash goes by real folders; one within it may take `link/..` by its letters.
            let by_letters = resolve(files, Path::new("/"), &resolved.spelled).ok()?.real;
            for real in [resolved.real, by_letters] {
                if !folders.contains(&real) {
                    folders.push(real);
                }
            }
        }
        if folders.len() > MAX_FOLDERS {
            return None;
        }
    }
    Some(folders)
}
