//! `manifest.json`, the first file of a bundle: the format, the session, and every other file in order with its size and
//! digest.

use annals_json::{ObjectWriter, Value};
use annals_store::digest::sha256;

use super::{Bundle, BundleError};

/// Its name in the archive.
pub(super) const MANIFEST: &str = "manifest.json";

/// The name of the format.
const FORMAT: &str = "annals-bundle";

/// The version of the format that this release writes, and reads.
const VERSION: u64 = 1;

/// One file, as the manifest announces it.
pub(super) struct ManifestFile {
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// What a manifest says.
pub(super) struct Manifest {
    pub(super) session: String,
    pub(super) slug: String,
    pub(super) files: Vec<ManifestFile>,
}

/// The manifest of a bundle.
pub(super) fn write(bundle: &Bundle) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("format", FORMAT).number("version", VERSION);
    object.string("session", bundle.session.as_str()).string("project", bundle.slug.as_str());
    object.array("files", |list| {
        for file in &bundle.files {
            list.object(|object| {
                object.string("path", &file.path).number("size", file.bytes.len() as u64);
                object.string("sha256", &sha256(&file.bytes));
            });
        }
    });
    object.end();
    out.push(b'\n');
    out
}

/// Reads a manifest. What the names and sizes mean is checked by the caller.
pub(super) fn read(bytes: &[u8]) -> Result<Manifest, BundleError> {
    let wrong = |what: &'static str| BundleError::Manifest { what };
    let value = Value::parse(bytes).map_err(|_| wrong("it is not JSON"))?;
    let text =
        |value: Value<'_>, key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
    if text(value, "format").as_deref() != Some(FORMAT) {
        return Err(wrong("it has another format"));
    }
    match value.get("version").and_then(Value::count) {
        Some(VERSION) => {}
        Some(found) => return Err(BundleError::Version { found }),
        None => return Err(wrong("it has no version")),
    }
    let file = |file: Value<'_>| {
        let size = file.get("size").and_then(Value::count)?;
        Some(ManifestFile { path: text(file, "path")?, size, sha256: text(file, "sha256")? })
    };
    let files = value.get("files").ok_or(wrong("it lists no files"))?;
    Ok(Manifest {
        session: text(value, "session").ok_or(wrong("it names no session"))?,
        slug: text(value, "project").ok_or(wrong("it names no project"))?,
        files: files.items().map(file).collect::<Option<_>>().ok_or(wrong("its list of files is broken"))?,
    })
}
