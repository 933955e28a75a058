//! Programs that get an input and whose outputs are read apart, as hooks do; and the variables that these set for commands.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use annals_store::platform::owner_only;

use super::group::{CommandExit, ProcessGroup};
use super::output::OutputFile;

/// The most bytes of a file that sets variables.
const MAX_VARIABLES: u64 = 1 << 20;

/// A running program whose outputs are in files. Dropping it before it has ended ends it and all that it started.
#[derive(Debug)]
pub(crate) struct PipedCommand {
    group: ProcessGroup,
    /// Its output.
    pub(crate) stdout: OutputFile,
    /// Its errors.
    pub(crate) stderr: OutputFile,
}

impl PipedCommand {
    pub(super) fn new(group: ProcessGroup, stdout: OutputFile, stderr: OutputFile) -> Self {
        Self { group, stdout, stderr }
    }

    /// The id of its first process.
    pub(crate) fn id(&self) -> i32 {
        self.group.id()
    }

    /// Waits for its end; what it left running keeps running.
    pub(crate) async fn wait(&self) -> CommandExit {
        self.group.wait().await
    }
}

impl Drop for PipedCommand {
    fn drop(&mut self) {
        if self.group.ended().is_none() {
            self.group.end();
        }
    }
}

/// A file with this content, to be read, which no other program finds. A pipe would have to be filled while the program runs.
pub(super) fn input_file(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let made = owner_only(File::options().write(true).create_new(true)).open(path);
    let written = made.and_then(|mut file| file.write_all(bytes));
    let opened = written.and_then(|()| File::open(path));
    let removed = fs::remove_file(path);
    opened.and_then(|file| removed.map(|()| file))
}

/// The lines of a script that set the variables of the files in a folder; a file that is wrong does not stop the script.
pub(super) fn session_variables(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "sh"));
    paths.sort();
    let mut script = String::new();
    for path in paths {
        let is_small = fs::symlink_metadata(&path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_VARIABLES);
        let text = is_small.then(|| fs::read_to_string(&path).ok()).flatten();
        if let Some(text) = text.filter(|text| !text.trim().is_empty() && !text.contains('\0')) {
            script.push_str(&format!("eval '{}'\n", text.replace('\'', r"'\''")));
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_files_are_set_before_a_command() {
        let home = annals_testkit::home::Home::new();
        let folder = home.work_dir();
        fs::write(folder.join("b.sh"), "export B='two words'\n").unwrap();
        fs::write(folder.join("a.sh"), "export A=1 (\n").unwrap();
        fs::write(folder.join("c.txt"), "export C=3\n").unwrap();
        let script = format!("{}echo \"$A|$B|$C\"", session_variables(&folder));
        let said = std::process::Command::new("bash").arg("-c").arg(script).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "|two words|\n");
    }
}
