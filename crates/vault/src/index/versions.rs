//! Versions as lines of JSON.

use std::path::PathBuf;

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value};
use annals_store::SessionKey;

use super::PackVersions;
use crate::id::ContentId;
use crate::version::{ChangeStamp, FileCopy, FileKind, FolderMode, SessionMeta, Version, VersionId};

pub(super) fn write(versions: &PackVersions) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    names(&mut object, "replaces", &versions.replaces);
    object.end();
    out.push(b'\n');
    for version in &versions.versions {
        write_version(version, &mut out);
        out.push(b'\n');
    }
    out
}

/// Parses what [`write`] wrote; `None` for anything else.
pub(super) fn read(bytes: &[u8]) -> Option<PackVersions> {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let head = Value::parse(lines.next()?).ok()?.fields()?;
    let replaces = head.get("replaces")?.items().map(|item| Some(item.text()?.to_string()));
    let versions = lines.map(|line| read_version(&Value::parse(line).ok()?.fields()?));
    Some(PackVersions {
        replaces: replaces.collect::<Option<_>>()?,
        versions: versions.collect::<Option<_>>()?,
    })
}

fn write_version(version: &Version, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.string("version", version.id.as_str()).string("session", version.session.as_str());
    object.string("store", &version.store.to_string_lossy()).string("file", &version.file);
    object.number("time", version.time);
    object.object("card", |object| write_meta(&version.meta, object));
    object.array("files", |list| version.files.iter().for_each(|copy| write_copy(copy, list)));
    if !version.folders.is_empty() {
        object.array("folders", |list| {
            for FolderMode { path, mode } in &version.folders {
                list.object(|object| {
                    object.string("path", path).number("mode", *mode);
                });
            }
        });
    }
    object.end();
}

fn write_meta(meta: &SessionMeta, object: &mut ObjectWriter<'_>) {
    object.string_if("title", meta.title.as_deref()).string_if("firstPrompt", meta.first_prompt.as_deref());
    object.string_if("project", meta.project.as_deref()).string_if("created", meta.created.as_deref());
    if let Some(active) = meta.active {
        object.number("active", active);
    }
    object.string_if("tag", meta.tag.as_deref()).string_if("branch", meta.branch.as_deref());
    names(object, "models", &meta.models);
    if meta.is_warm_up {
        object.boolean("warmUp", true);
    }
}

fn names(object: &mut ObjectWriter<'_>, key: &str, names: &[String]) {
    object.array(key, |list| {
        for name in names {
            list.string(name);
        }
    });
}

fn write_copy(copy: &FileCopy, list: &mut ArrayWriter<'_>) {
    list.object(|object| {
        object.string("path", &copy.path);
        if let FileKind::File { content, bytes } = copy.kind {
            object.string("sha256", &content.to_string()).number("bytes", bytes);
        }
        object.number("mode", copy.mode).number("modified", copy.modified);
        object.number("changed", copy.stamp.changed).number("inode", copy.stamp.inode);
    });
}

fn read_version(fields: &Fields<'_>) -> Option<Version> {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    let files = fields.get("files")?.items().map(|item| read_copy(&item.fields()?));
    let folders = fields.get("folders").into_iter().flat_map(Value::items);
    let folders = folders.map(|item| {
        let fields = item.fields()?;
        let mode = u32::try_from(fields.count("mode")?).ok()?;
        Some(FolderMode { path: fields.text("path")?.to_string(), mode })
    });
    Some(Version {
        id: VersionId::from_stored(text("version")?),
        session: SessionKey::new(text("session")?),
        store: PathBuf::from(text("store")?),
        file: text("file")?,
        time: whole(fields, "time")?,
        files: files.collect::<Option<_>>()?,
        folders: folders.collect::<Option<_>>()?,
        meta: read_meta(&fields.object("card")?),
    })
}

fn read_meta(fields: &Fields<'_>) -> SessionMeta {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    let models = fields.get("models").into_iter().flat_map(Value::items);
    SessionMeta {
        title: text("title"),
        first_prompt: text("firstPrompt"),
        project: text("project"),
        created: text("created"),
        active: whole(fields, "active"),
        tag: text("tag"),
        branch: text("branch"),
        models: models.filter_map(|item| Some(item.text()?.to_string())).collect(),
        is_warm_up: fields.is_true("warmUp"),
    }
}

fn read_copy(fields: &Fields<'_>) -> Option<FileCopy> {
    let kind = match fields.text("sha256") {
        Some(digits) => {
            FileKind::File { content: ContentId::parse(&digits.decode())?, bytes: fields.count("bytes")? }
        }
        None => FileKind::Folder,
    };
    Some(FileCopy {
        path: fields.text("path")?.to_string(),
        kind,
        mode: u32::try_from(fields.count("mode")?).ok()?,
        modified: whole(fields, "modified")?,
        stamp: ChangeStamp { changed: whole(fields, "changed")?, inode: fields.count("inode")? },
    })
}

/// An integer; nanoseconds do not fit a float.
fn whole(fields: &Fields<'_>, key: &str) -> Option<i64> {
    std::str::from_utf8(fields.get(key)?.raw()).ok()?.parse().ok()
}
