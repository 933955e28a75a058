//! Trust in a workspace: granted by the user for one real folder, and stored in our own data dir, never in the client's files.
//!
//! A folder below a trusted one is not trusted, and neither is one that claims to be part of a trusted repository: only the real
//! path is compared.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use annals_json::{Fields, ObjectWriter, Value};
use annals_store::DataDir;
use annals_store::files::{WriteError, replace_file};

use super::paths::{FileKind, FileSystem, PathError, resolve};

/// Whether the user trusts a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The user has trusted it.
    Trusted,
    /// The user has not.
    Untrusted,
}

/// The version of the file that this program writes.
const VERSION: u64 = 1;

/// Why trust could not be read or stored. Without an answer a folder is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is damaged.
    #[error("{}: damaged at byte {offset}; left as it is, nothing is trusted", path.display())]
    Damaged { path: PathBuf, offset: usize },
    /// The file was written by a later version.
    #[error("{}: unknown version {version}; a newer annals wrote it", path.display())]
    Later { path: PathBuf, version: u64 },
    /// It is not a folder, or its path is not UTF-8.
    #[error("{}: not a folder that can be trusted", .0.display())]
    NoFolder(PathBuf),
    /// The folder's path cannot be followed.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The file with the trusted folders.
#[derive(Clone, Debug)]
pub struct TrustFile(PathBuf);

impl TrustFile {
    /// The file in this data dir; it need not exist.
    pub fn new(data_dir: &DataDir) -> Self {
        Self(data_dir.path().join("trust.json"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether a folder is trusted: exactly this one, by its real path.
    pub fn of(&self, files: &dyn FileSystem, folder: &Path) -> Result<Trust, TrustError> {
        let real = real_folder(files, folder)?;
        let trusted = self.read()?.iter().any(|(path, _)| *path == real);
        Ok(if trusted { Trust::Trusted } else { Trust::Untrusted })
    }

    /// Trusts a folder; `now` is in milliseconds since 1970. Returns the real path.
    pub fn give(&self, files: &dyn FileSystem, folder: &Path, now: i64) -> Result<PathBuf, TrustError> {
        let real = real_folder(files, folder)?;
        let mut known = self.read()?;
        known.retain(|(path, _)| *path != real);
        known.push((real.clone(), now));
        self.write(&known)?;
        Ok(PathBuf::from(real))
    }

    /// Revokes trust; the folder need not exist.
    pub fn take_back(&self, files: &dyn FileSystem, folder: &Path) -> Result<(), TrustError> {
        let real = resolve(files, Path::new("/"), folder)?.real;
        let mut known = self.read()?;
        known.retain(|(path, _)| Path::new(path) != real && Path::new(path) != folder);
        self.write(&known)
    }

    fn read(&self) -> Result<Vec<(String, i64)>, TrustError> {
        let bytes = match fs::read(&self.0) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(TrustError::Read { path: self.0.clone(), source }),
        };
        let damaged = |offset: usize| TrustError::Damaged { path: self.0.clone(), offset };
        let fields =
            Value::parse(&bytes).map_err(|fault| damaged(fault.at))?.fields().ok_or_else(|| damaged(0))?;
        match fields.count("version") {
            Some(VERSION) => {}
            Some(version) => return Err(TrustError::Later { path: self.0.clone(), version }),
            None => return Err(damaged(0)),
        }
        let folders = fields.get("workspaces").ok_or_else(|| damaged(0))?;
        let folder = |value: Value<'_>| {
            let fields: Fields<'_> = value.fields()?;
            let since = fields.number("since")?;
            Some((fields.text("path")?.decode().into_owned(), since as i64))
        };
        folders.items().map(|value| folder(value).ok_or_else(|| damaged(0))).collect()
    }

    fn write(&self, known: &[(String, i64)]) -> Result<(), TrustError> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", VERSION);
        object.array("workspaces", |array| {
            for (path, since) in known {
                array.object(|folder| {
                    folder.string("path", path).number("since", *since);
                });
            }
        });
        object.end();
        out.push(b'\n');
        Ok(replace_file(&self.0, &out)?)
    }
}

/// The real path of an existing folder, as text.
fn real_folder(files: &dyn FileSystem, folder: &Path) -> Result<String, TrustError> {
    let resolved = resolve(files, Path::new("/"), folder)?;
    let text = resolved.real.to_str().filter(|_| resolved.kind == FileKind::Folder);
    text.map(str::to_owned).ok_or_else(|| TrustError::NoFolder(folder.to_path_buf()))
}
