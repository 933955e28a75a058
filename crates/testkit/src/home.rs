//! A separate home for each test: config dir, data dir and work folder, and a way to run the binary that cannot reach
//! the home of the person who runs the tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, UNIX_EPOCH};
use std::{env, fs, io};

use annals_demo::{DemoFile, Plan, Tally};

use crate::depth;
use crate::temp::TempDir;

/// What a program may know of the outside: where to find other programs, what Windows needs to start one, and how deep a test
/// goes that starts itself again.
const PASSED_ON: [&str; 5] = ["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "LLVM_PROFILE_FILE", depth::VARIABLE];

/// A hermetic home.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    /// The data dir, where it is elsewhere.
    data: Option<TempDir>,
}

impl Home {
    /// Makes a home with an empty config dir, an empty data dir and an empty work folder.
    pub fn new() -> Self {
        Self::with_data(None)
    }

    /// Makes a home whose data dir is on another file system than its config dir; `None` if there is no other.
    pub fn on_two_file_systems() -> Option<Self> {
        TempDir::on_another_file_system("data").map(|data| Self::with_data(Some(data)))
    }

    fn with_data(data: Option<TempDir>) -> Self {
        let home = Self { folder: TempDir::new("home"), data };
        for folder in [home.config_dir(), home.data_dir(), home.work_dir()] {
            fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        refuse_real_home(home.path(), real_home().as_deref());
        home
    }

    /// The home folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the sessions are.
    pub fn config_dir(&self) -> PathBuf {
        self.path().join(".claude")
    }

    /// Where annals keeps what is its own.
    pub fn data_dir(&self) -> PathBuf {
        self.data.as_ref().map_or_else(|| self.path().join("data"), |data| data.path().to_path_buf())
    }

    /// The folder in which commands run.
    pub fn work_dir(&self) -> PathBuf {
        self.path().join("work")
    }

    /// Writes a file of the config dir, named relative to it, and returns its path.
    pub fn write(&self, relative: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.folder.write(Path::new(".claude").join(relative), bytes)
    }

    /// Writes a made-up store into the config dir and returns what it holds.
    pub fn fill(&self, plan: &Plan) -> Tally {
        let made = annals_demo::generate(plan, &mut |file: DemoFile| self.write_dated(&file));
        made.unwrap_or_else(|error| panic!("cannot write a made-up store: {error}"))
    }

    /// The same without its large sessions, unless the depth is full: for tests that send or rewrite all of it.
    pub fn fill_sample(&self, plan: &Plan) {
        let made = annals_demo::generate(plan, &mut |file: DemoFile| -> io::Result<()> {
            if file.bytes.len() as u64 <= depth::max_file_bytes() { self.write_dated(&file) } else { Ok(()) }
        });
        made.unwrap_or_else(|error| panic!("cannot write a made-up store: {error}"));
    }

    fn write_dated(&self, file: &DemoFile) -> io::Result<()> {
        let path = self.write(&file.path, &file.bytes);
        let time = UNIX_EPOCH + Duration::from_millis(file.modified_ms.unsigned_abs());
        fs::File::options().write(true).open(path)?.set_modified(time)
    }

    /// A command that knows this home and no other: the environment is cleared first.
    pub fn command(&self, binary: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(binary);
        command.env_clear().current_dir(self.work_dir());
        for name in PASSED_ON {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.path()).env("USERPROFILE", self.path());
        command.env("APPDATA", self.data_dir()).env("LOCALAPPDATA", self.data_dir());
        command.env("CLAUDE_CONFIG_DIR", self.config_dir()).env("ANNALS_DATA_DIR", self.data_dir());
        command.env("XDG_DATA_HOME", self.data_dir()).env("XDG_CONFIG_HOME", self.path().join("config"));
        command.env("XDG_CACHE_HOME", self.path().join("cache")).env("TMPDIR", self.path());
        // Tests are about what the program decides; those of the sandbox switch it on.
        command.env("ANNALS_SANDBOX", "off");
        command.env("TZ", "UTC").env("LC_ALL", "C").env("NO_COLOR", "1");
        command
    }

    /// Runs the binary with these arguments and collects what it says.
    pub fn run<I>(&self, binary: impl AsRef<OsStr>, arguments: I) -> CommandOutput
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        let mut command = self.command(binary);
        command.args(arguments);
        self.finish(&mut command)
    }

    /// Runs a command made by [`Home::command`], after a last look at where it points.
    pub fn finish(&self, command: &mut Command) -> CommandOutput {
        for name in ["HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "ANNALS_DATA_DIR"] {
            let set = command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
            match set {
                Some(value) => refuse_real_home(Path::new(value), real_home().as_deref()),
                // Without the other two, the program falls back to the home, which is ours.
                None if name == "HOME" || name == "USERPROFILE" => {
                    panic!("{name} is unset: the program could look up the real home");
                }
                None => {}
            }
        }
        let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        CommandOutput::from(output)
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

/// The output of a run of the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output, byte for byte.
    pub bytes: Vec<u8>,
    /// Standard output as text.
    pub out: String,
    /// Standard error as text.
    pub error: String,
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            error: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
            code: output.status.code(),
        }
    }
}

fn real_home() -> Option<PathBuf> {
    env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// Panics if a test would read or write the real store.
fn refuse_real_home(path: &Path, real: Option<&Path>) {
    let Some(real) = real else { return };
    assert!(
        path != real && !path.starts_with(real.join(".claude")),
        "{} is the real home; use testkit::home::Home",
        path.display()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_sees_this_home_only() {
        let home = Home::new();
        home.write("projects/-x/1.jsonl", "{}\n");
        let command = home.command("annals");
        let of = |name: &str| command.get_envs().find(|(key, _)| *key == name).unwrap().1.unwrap();
        assert_eq!(of("HOME"), home.path());
        assert!(Path::new(of("CLAUDE_CONFIG_DIR")).join("projects/-x/1.jsonl").is_file());
        assert!(!command.get_envs().any(|(key, _)| key == "CARGO_MANIFEST_DIR"));
    }

    #[test]
    fn a_made_up_store_fills_the_config_dir() {
        let home = Home::new();
        let tally = home.fill(&Plan::default());
        assert!(tally.sessions > 0 && home.config_dir().join("projects").is_dir());
    }

    #[test]
    #[should_panic(expected = "the real home")]
    fn the_real_home_is_refused() {
        refuse_real_home(Path::new("/home/someone/.claude/projects"), Some(Path::new("/home/someone")));
    }

    #[test]
    #[should_panic(expected = "HOME is unset")]
    fn an_unset_home_is_refused() {
        let home = Home::new();
        home.finish(home.command("annals").env_remove("HOME"));
    }
}
