//! Windows: folders go by path, and a command is ended with all that it started by `taskkill`.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::num::NonZeroI32;
use std::os::windows::fs::FileExt;
use std::os::windows::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The path of a folder, and names in it. No name is followed if it is a link.
#[derive(Debug)]
pub(crate) struct HeldFolder(PathBuf);

impl HeldFolder {
    /// The first folder of an absolute path, and the names below it.
    pub(crate) fn top(path: &Path) -> io::Result<(Self, impl Iterator<Item = &OsStr>)> {
        let is_top = |part: &Component<'_>| matches!(part, Component::Prefix(_) | Component::RootDir);
        let top = path.components().take_while(is_top).collect();
        Ok((Self(top), path.components().skip_while(is_top).map(Component::as_os_str)))
    }

    fn plain(&self, name: &OsStr) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::other("is a symbolic link"));
        }
        Ok(path)
    }

    pub(crate) fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.plain(name)?;
        if fs::metadata(&path)?.is_dir() { Ok(Self(path)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(crate) fn open(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.plain(name)?)
    }

    /// Opens a file that is there for reading and writing.
    pub(crate) fn open_to_change(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(self.plain(name)?)
    }

    /// Makes a file that was not there.
    pub(crate) fn create_new(&self, name: &OsStr, _: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.plain(to)?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// The file system keeps the names in its own journal.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Not known.
    pub(crate) fn has_attributes(&self, _: &OsStr) -> bool {
        false
    }
}

/// Whose it is decides whether it can be opened.
pub(crate) fn is_own_file(_: &Metadata) -> bool {
    true
}

/// There is nothing to keep.
pub(crate) fn keep_group(_: &File, _: &Metadata) -> bool {
    true
}

/// Writes some bytes at an offset; how many the system took.
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(bytes, offset)
}

/// The number of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pid(NonZeroI32);

impl Pid {
    pub(crate) fn from_raw(number: i32) -> Option<Self> {
        NonZeroI32::new(number).map(Self)
    }

    pub(crate) fn as_raw_nonzero(self) -> NonZeroI32 {
        self.0
    }
}

/// What other systems send; only an end is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal(u8);

impl Signal {
    pub(crate) const TERM: Self = Self(15);
    pub(crate) const KILL: Self = Self(9);
    pub(crate) const STOP: Self = Self(19);
    pub(crate) const CONT: Self = Self(18);
}

/// The number of this process.
pub(crate) fn own_pid() -> Pid {
    let number = i32::try_from(std::process::id()).ok().and_then(NonZeroI32::new);
    Pid(number.unwrap_or(NonZeroI32::MAX))
}

/// A command that is started so does not get the Ctrl-C of this one.
pub(crate) fn start_in_group(command: &mut Command) -> &mut Command {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP)
}

/// Whether the process that leads a group is there.
pub(crate) fn is_process_group(leader: Pid) -> bool {
    let filter = format!("PID eq {}", leader.0);
    let listed = Command::new("tasklist").args(["/NH", "/FO", "CSV", "/FI", &filter]).output();
    let number = format!("\"{}\"", leader.0);
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).contains(&number))
}

/// Ends a process with all that it started, at once for [`Signal::KILL`].
pub(crate) fn send_to_group(leader: Pid, signal: Signal) {
    if !matches!(signal, Signal::TERM | Signal::KILL) {
        return;
    }
    let mut command = Command::new("taskkill");
    command.args(["/T", "/PID", &leader.0.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    if signal == Signal::KILL {
        command.arg("/F");
    }
    let _ = command.status();
}

/// Processes are only ended in groups.
pub(crate) fn send_to_process(_: Pid, _: Signal, _: impl Fn() -> bool) {}

/// There are no signals.
pub(crate) fn ending_signal(_: ExitStatus) -> Option<i32> {
    None
}
