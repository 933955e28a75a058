//! A temporary folder that is gone when its owner is; nothing else. Names are unique per process and per call.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io, process};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder under the system's temporary folder, removed with everything in it on drop.
#[derive(Debug)]
pub struct TempDir {
    path: PathBuf,
}

impl TempDir {
    /// Makes an empty folder whose name starts with `annals-` and `label`.
    pub fn new(label: &str) -> Self {
        Self::new_in(&env::temp_dir(), label)
    }

    /// Makes one on another file system than [`TempDir::new`]; `None` if there is no other to write to.
    pub fn on_another_file_system(label: &str) -> Option<Self> {
        let usual = Self::new(label);
        let others = ["/dev/shm", "/run/shm", "/var/tmp", "/run/user"].map(Path::new);
        let is_usable = |parent: &&Path| {
            let probe = parent.join(format!(
                "annals-probe-{}-{}",
                process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed)
            ));
            let is_other = fs::write(&probe, "").is_ok() && {
                // A rename is what has to fail.
                let moved = fs::rename(&probe, usual.path().join("probe"));
                moved.is_err_and(|error| error.kind() == io::ErrorKind::CrossesDevices)
            };
            let _ = fs::remove_file(&probe);
            is_other
        };
        others.into_iter().find(is_usable).map(|parent| Self::new_in(parent, label))
    }

    fn new_in(parent: &Path, label: &str) -> Self {
        // A process id can come back while an old folder is still there: try the next number.
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("annals-{label}-{}-{number}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Self { path: resolved(path) },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => panic!("cannot make {}: {error}", path.display()),
            }
        }
    }

    /// Where it is, symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file below the folder, making the folders on the way, and returns its path.
    pub fn write(&self, relative: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(relative);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(error) = made.and_then(|()| fs::write(&path, bytes)) {
            panic!("cannot write {}: {error}", path.display());
        }
        path
    }
}

/// The slug of a project comes from its real path, so tests must not meet a linked one (macOS links `/tmp`).
fn resolved(path: PathBuf) -> PathBuf {
    // On Windows the resolved form starts with `\\?\`, which few programs expect.
    if cfg!(windows) { path } else { fs::canonicalize(&path).unwrap_or(path) }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A test that fails halfway may have left unreadable files; the system's own cleaning gets those.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_apart_and_both_go_away() {
        let (first, second) = (TempDir::new("temp"), TempDir::new("temp"));
        assert_ne!(first.path(), second.path());
        let file = first.write("deep/er/file", "x");
        assert_eq!(fs::read(&file).unwrap(), b"x");
        let gone = first.path().to_path_buf();
        drop(first);
        assert!(!gone.exists() && second.path().is_dir());
    }
}
