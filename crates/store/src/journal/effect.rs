//! One step of a change, with all that undo needs.

use std::path::PathBuf;

use annals_json::{Fields, ObjectWriter, Value};

use super::path_text;

/// One step of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// A folder was made.
    FolderCreated {
        /// The folder.
        path: PathBuf,
    },
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
        /// When it was last written before, in nanoseconds since 1970.
        modified_ns: Option<u64>,
    },
    /// A file was replaced.
    Replaced {
        /// The file.
        path: PathBuf,
        /// The copy of the old file in the data folder; `None` if there was no file.
        kept: Option<PathBuf>,
        /// The sha256 of the new one.
        left: String,
        /// The length of the new one; older releases did not note it.
        bytes: Option<u64>,
    },
}

impl Effect {
    /// The path that it changed; of a move, the old one.
    pub fn path(&self) -> &PathBuf {
        match self {
            Self::FolderCreated { path }
            | Self::Moved { from: path, .. }
            | Self::Created { path, .. }
            | Self::Appended { path, .. }
            | Self::Replaced { path, .. } => path,
        }
    }

    pub(super) fn write(&self, object: &mut ObjectWriter<'_>) {
        match self {
            Self::FolderCreated { path } => {
                object.string("did", "folder");
                path_text::write(object, "path", path);
            }
            Self::Moved { from, to } => {
                object.string("did", "moved");
                path_text::write(object, "from", from);
                path_text::write(object, "to", to);
            }
            Self::Created { path, bytes } => {
                object.string("did", "created");
                path_text::write(object, "path", path);
                object.number("bytes", *bytes);
            }
            Self::Appended { path, from, to, modified_ns } => {
                object.string("did", "appended");
                path_text::write(object, "path", path);
                object.number("from", *from).number("to", *to);
                if let Some(modified) = modified_ns {
                    object.number("modifiedNs", *modified);
                }
            }
            Self::Replaced { path, kept, left, bytes } => {
                object.string("did", "replaced");
                path_text::write(object, "path", path);
                match kept {
                    Some(kept) => path_text::write(object, "kept", kept),
                    None => drop(object.string_or_null("kept", None)),
                }
                object.string("left", left);
                if let Some(bytes) = bytes {
                    object.number("bytes", *bytes);
                }
            }
        }
    }

    pub(super) fn read(fields: &Fields<'_>) -> Option<Self> {
        let text = |key: &str| fields.text(key).map(|text| text.to_string());
        let path = |key: &str| path_text::read(fields, key);
        let count = |key: &str| fields.get(key).and_then(Value::count);
        Some(match text("did")?.as_str() {
            "folder" => Self::FolderCreated { path: path("path")? },
            "moved" => Self::Moved { from: path("from")?, to: path("to")? },
            "created" => Self::Created { path: path("path")?, bytes: count("bytes")? },
            "appended" => Self::Appended {
                path: path("path")?,
                from: count("from")?,
                to: count("to")?,
                modified_ns: count("modifiedNs"),
            },
            "replaced" => Self::Replaced {
                path: path("path")?,
                kept: path("kept"),
                left: text("left")?,
                bytes: count("bytes"),
            },
            _ => return None,
        })
    }
}
