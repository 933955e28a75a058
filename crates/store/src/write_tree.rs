//! Writing a store that was made up: the only writing of this issue. It never writes into a folder that holds anything.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Why a made-up store could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder holds something already.
    #[error("{}: the folder is not empty, and nothing is ever overwritten", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file stands where the folder should be.
    #[error("{}: is a file, not a folder", path.display())]
    NotAFolder {
        /// Where.
        path: PathBuf,
    },
    /// A path that leads out of the folder.
    #[error("{}: the path leads out of the store", path.display())]
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// Anything else.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Writes files into a folder that was empty when it began: folders 0700, files 0600, each file once.
#[derive(Debug)]
pub struct DemoWriter {
    root: PathBuf,
}

impl DemoWriter {
    /// Takes an empty folder, or makes one.
    pub fn create(root: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let root = root.into();
        match fs::read_dir(&root).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(WriteError::NotEmpty { path: root }),
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_folder(&root)?,
            Err(_) if root.is_file() => return Err(WriteError::NotAFolder { path: root }),
            Err(source) => return Err(WriteError::Io { path: root, source }),
        }
        Ok(Self { root })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes one file, by its path within the store, and gives it this time of change (milliseconds since 1970).
    ///
    /// A file that is there already is an error, never overwritten.
    pub fn write(&self, relative: &str, bytes: &[u8], modified: Option<i64>) -> Result<PathBuf, WriteError> {
        let inside = Path::new(relative);
        let stays = inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays || inside.file_name().is_none() {
            return Err(WriteError::Outside { path: inside.to_path_buf() });
        }
        let path = self.root.join(inside);
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let fail = |source| WriteError::Io { path: path.clone(), source };
        let mut file = new_file(&path).map_err(fail)?;
        file.write_all(bytes).map_err(fail)?;
        if let Some(millis) = modified {
            let span = Duration::from_millis(millis.unsigned_abs());
            let time = if millis < 0 { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) };
            file.set_modified(time.unwrap_or(UNIX_EPOCH)).map_err(fail)?;
        }
        Ok(path)
    }
}

fn make_folder(path: &Path) -> Result<(), WriteError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| WriteError::Io { path: path.to_path_buf(), source })
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
