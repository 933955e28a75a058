//! The folder of an export: what is in it, what is ours, and what has to be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use annals_store::digest;
use annals_store::files::replace_file;
use annals_store::read::open_file;

use super::document::Document;
use super::index_page;
use super::manifest::{Manifest, ManifestEntry, plain_bytes};
use super::names::file_name;
use crate::args::ExportArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::session::ResolvedSession;

/// The bytes at the end of a file that tell versions of one size and time apart.
const TAIL: u64 = 4096;

/// Files that are written before they are noted: after a crash they look like somebody else's.
const MAX_UNSAVED: usize = 50;

/// What became of a file.
pub(super) enum WriteOutcome {
    /// It was written.
    Written(String),
    /// It is up to date.
    Unchanged(String),
    /// Somebody else's file has the name.
    Foreign(String),
}

/// The folder that an export writes to.
pub(super) struct ExportFolder {
    path: PathBuf,
    manifest: Manifest,
    /// The names that this export has used, with their sources.
    used: Vec<(String, PathBuf)>,
    /// Files that were written since the notes were.
    unsaved: usize,
}

impl ExportFolder {
    /// Opens a folder that may not exist yet. The store is no place for exports.
    pub(super) fn open(args: &ExportArgs, context: &Context) -> Result<Self, Fault> {
        let path = args.to.clone();
        if path.exists() && !path.is_dir() {
            return Err(Fault::usage(format!("{}: not a folder", path.display()))
                .hint("--to names a folder, or - for standard output"));
        }
        let existing = path.ancestors().find_map(|folder| folder.canonicalize().ok());
        let store = context.store.config_dir().path().canonicalize();
        if let (Some(existing), Ok(store)) = (existing, store)
            && existing.starts_with(&store)
        {
            return Err(Fault::usage(format!(
                "{}: inside the store, where only sessions belong",
                path.display()
            ))
            .hint("name a folder outside of it"));
        }
        Ok(Self { manifest: Manifest::read(&path), path, used: Vec::new(), unsaved: 0 })
    }

    /// Exports a session, unless its file is up to date.
    pub(super) fn export(
        &mut self,
        args: &ExportArgs,
        target: &ResolvedSession,
        context: &Context,
    ) -> Result<WriteOutcome, Fault> {
        target.check_readable()?;
        let name = self.name(args, target);
        let fingerprint = fingerprint(args, target, context);
        if !args.force
            && let Some(entry) = self.manifest.get(&name)
            && entry.fingerprint == fingerprint
            && self.is_ours(&name)
        {
            return Ok(WriteOutcome::Unchanged(name));
        }
        if !args.force && !self.is_ours(&name) {
            return Ok(WriteOutcome::Foreign(name));
        }
        let document = Document::of(args, target, context)?;
        replace_file(&self.path.join(&name), &document.bytes)?;
        self.manifest.put(ManifestEntry {
            file: name.clone(),
            source: target.display_path(&target.path).display().to_string(),
            fingerprint,
            digest: digest::sha256(&document.bytes),
            row: document.row,
        });
        self.unsaved += 1;
        if self.unsaved >= MAX_UNSAVED {
            self.save()?;
        }
        Ok(WriteOutcome::Written(name))
    }

    /// Notes what was written: it is ours from now on.
    pub(super) fn save(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.unsaved) > 0 {
            self.manifest.write(&self.path)?;
        }
        Ok(())
    }

    /// Writes the list of all files of this format in the folder, if there are several.
    pub(super) fn finish(&mut self, args: &ExportArgs) -> Result<Option<WriteOutcome>, Fault> {
        let Some((name, bytes)) = index_page::of(args, &self.manifest) else { return Ok(None) };
        let path = self.path.join(&name);
        if plain_bytes(&path).is_some_and(|old| old == bytes) {
            return Ok(Some(WriteOutcome::Unchanged(name)));
        }
        if !args.force && !self.is_ours(&name) {
            return Ok(Some(WriteOutcome::Foreign(name)));
        }
        replace_file(&path, &bytes)?;
        self.manifest.put(ManifestEntry {
            file: name.clone(),
            digest: digest::sha256(&bytes),
            ..ManifestEntry::default()
        });
        self.unsaved += 1;
        Ok(Some(WriteOutcome::Written(name)))
    }

    /// The name of a session's file. Sessions of two projects may have one id.
    fn name(&mut self, args: &ExportArgs, target: &ResolvedSession) -> String {
        let stem = file_name(target.key.as_str());
        let is_taken = |name: &str| {
            self.used.iter().any(|(used, path)| used.eq_ignore_ascii_case(name) && *path != target.path)
        };
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let names = std::iter::once(stem.clone())
            .chain(numbered)
            .map(|stem| format!("{stem}.{}", args.form.extension()));
        let name = names.into_iter().find(|name| !is_taken(name)).unwrap_or_default();
        self.used.push((name.clone(), target.path.clone()));
        name
    }

    /// Whether a file is not there, or is as an export left it.
    fn is_ours(&self, name: &str) -> bool {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path) {
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            Ok(_) => self.manifest.get(name).is_some_and(|entry| {
                plain_bytes(&path).is_some_and(|bytes| digest::sha256(&bytes) == entry.digest)
            }),
        }
    }
}

/// Identifies the content of a session's files and everything that shapes the page.
fn fingerprint(args: &ExportArgs, target: &ResolvedSession, context: &Context) -> String {
    let mut parts = vec![
        env!("CARGO_PKG_VERSION").to_owned(),
        format!("{:?} {:?} {} {}", args.form, args.detail, args.redact, args.include_agents),
        format!("{:?}", context.zone.iana_name()),
        file_state(&target.path),
    ];
    if args.include_agents {
        parts.extend(target.agent_paths().iter().map(|path| file_state(path)));
    }
    digest::sha256(parts.join("\n").as_bytes())
}

/// Size, time and end of a file.
fn file_state(path: &Path) -> String {
    use std::io::{Read, Seek, SeekFrom};
    let state = || -> std::io::Result<String> {
        let mut file = open_file(path)?;
        let metadata = file.metadata()?;
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        file.seek(SeekFrom::Start(metadata.len().saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let time = time.map_or(0, |time| time.as_nanos());
        Ok(format!("{} {} {time} {}", path.display(), metadata.len(), digest::sha256(&tail)))
    };
    state().unwrap_or_default()
}
