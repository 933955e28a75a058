//! One step of a change, with all that undo needs.

use std::path::{Path, PathBuf};
use std::{fs, io};

use annals_json::{Fields, ObjectWriter, Value};

use crate::digest::sha256;
use crate::files::{WriteError, create_file, keep_time};

/// One step of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// A file or folder was moved.
    Moved {
        /// The old path.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
    },
    /// A file was made.
    Created {
        /// The file.
        path: PathBuf,
        /// How long it was when it was done.
        bytes: u64,
    },
    /// Lines were appended to a file.
    Appended {
        /// The file.
        path: PathBuf,
        /// Its length before.
        from: u64,
        /// Its length after.
        to: u64,
    },
    /// A file was replaced.
    Replaced {
        /// The file.
        path: PathBuf,
        /// The copy of the old file in the data folder; `None` if there was no file.
        kept: Option<PathBuf>,
        /// The sha256 of the new one.
        left: String,
    },
}

impl Effect {
    /// Prepares a replacement: copies the old file to the data folder first, and syncs the copy.
    pub fn replacing(path: &Path, bytes: &[u8], folder: &Path) -> Result<Self, WriteError> {
        let kept = match fs::read(path) {
            Ok(old) => {
                let kept = folder.join(path.file_name().unwrap_or_default());
                create_file(&kept, &old)?;
                keep_time(path, &kept);
                Some(kept)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(WriteError::new(path, error)),
        };
        Ok(Self::Replaced { path: path.to_path_buf(), kept, left: sha256(bytes) })
    }

    pub(super) fn write(&self, object: &mut ObjectWriter<'_>) {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        match self {
            Self::Moved { from, to } => {
                object.string("did", "moved").string("from", &text(from)).string("to", &text(to));
            }
            Self::Created { path, bytes } => {
                object.string("did", "created").string("path", &text(path)).number("bytes", *bytes);
            }
            Self::Appended { path, from, to } => {
                object
                    .string("did", "appended")
                    .string("path", &text(path))
                    .number("from", *from)
                    .number("to", *to);
            }
            Self::Replaced { path, kept, left } => {
                object.string("did", "replaced").string("path", &text(path));
                object.string_or_null("kept", kept.as_ref().map(text).as_deref()).string("left", left);
            }
        }
    }

    pub(super) fn read(fields: &Fields<'_>) -> Option<Self> {
        let text = |key: &str| fields.text(key).map(|text| text.to_string());
        let path = |key: &str| text(key).map(PathBuf::from);
        let count = |key: &str| fields.get(key).and_then(Value::count);
        Some(match text("did")?.as_str() {
            "moved" => Self::Moved { from: path("from")?, to: path("to")? },
            "created" => Self::Created { path: path("path")?, bytes: count("bytes")? },
            "appended" => Self::Appended { path: path("path")?, from: count("from")?, to: count("to")? },
            "replaced" => Self::Replaced { path: path("path")?, kept: path("kept"), left: text("left")? },
            _ => return None,
        })
    }
}
