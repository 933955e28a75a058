//! Writes a demo store, only into an empty folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::files::{WriteError, create_folder, new_file};

/// Why a demo store could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The folder holds something already.
    #[error("{}: the folder is not empty; existing files are never overwritten", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file exists at the path of the folder.
    #[error("{}: is a file, not a folder", path.display())]
    NotAFolder {
        /// Where.
        path: PathBuf,
    },
    /// A path outside the folder.
    #[error("{}: the path is outside the store", path.display())]
    Outside {
        /// The path that leads out of the folder.
        path: PathBuf,
    },
    /// Any other error.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes files into a folder that was empty when it began: folders 0700, files 0600, each file once.
#[derive(Debug)]
pub struct DemoWriter {
    root: PathBuf,
}

impl DemoWriter {
    /// Takes an empty folder, or makes one.
    pub fn create(root: impl Into<PathBuf>) -> Result<Self, DemoError> {
        let root = root.into();
        match fs::read_dir(&root).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(DemoError::NotEmpty { path: root }),
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => create_folder(&root)?,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(DemoError::NotAFolder { path: root });
            }
            Err(source) => return Err(WriteError::new(&root, source).into()),
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
    pub fn write(&self, relative: &str, bytes: &[u8], modified: Option<i64>) -> Result<PathBuf, DemoError> {
        let inside = Path::new(relative);
        let stays = inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays || inside.file_name().is_none() {
            return Err(DemoError::Outside { path: inside.to_path_buf() });
        }
        let path = self.root.join(inside);
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let fail = |source| WriteError::new(&path, source);
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
