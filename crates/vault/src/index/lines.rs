//! Versions as lines of JSON.

use std::path::PathBuf;

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value};
use annals_store::SessionKey;

use super::Versions;
use crate::id::ContentId;
use crate::version::{Card, CopyKind, FileCopy, Seen, Version, VersionId};

/// The lines.
pub(super) fn write(versions: &Versions) -> Vec<u8> {
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

/// Reads them back; nothing where they are not what [`write`] writes.
pub(super) fn read(bytes: &[u8]) -> Option<Versions> {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let head = Value::parse(lines.next()?).ok()?.fields()?;
    let replaces = head.get("replaces")?.items().map(|item| Some(item.text()?.to_string()));
    let versions = lines.map(|line| read_version(&Value::parse(line).ok()?.fields()?));
    Some(Versions { replaces: replaces.collect::<Option<_>>()?, versions: versions.collect::<Option<_>>()? })
}

fn write_version(version: &Version, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.string("version", version.id.as_str()).string("session", version.session.as_str());
    object.string("store", &version.store.to_string_lossy()).string("file", &version.file);
    object.number("time", version.time);
    object.object("card", |object| write_card(&version.card, object));
    object.array("files", |list| version.files.iter().for_each(|copy| write_copy(copy, list)));
    object.end();
}

fn write_card(card: &Card, object: &mut ObjectWriter<'_>) {
    object.string_if("title", card.title.as_deref()).string_if("firstPrompt", card.first_prompt.as_deref());
    object.string_if("project", card.project.as_deref()).string_if("created", card.created.as_deref());
    if let Some(active) = card.active {
        object.number("active", active);
    }
    object.string_if("tag", card.tag.as_deref()).string_if("branch", card.branch.as_deref());
    names(object, "models", &card.models);
    if card.is_warm_up {
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
        if let CopyKind::File { content, bytes } = copy.kind {
            object.string("sha256", &content.to_string()).number("bytes", bytes);
        }
        object.number("mode", copy.mode).number("modified", copy.modified);
        object.number("changed", copy.seen.changed).number("inode", copy.seen.inode);
    });
}

fn read_version(fields: &Fields<'_>) -> Option<Version> {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    let files = fields.get("files")?.items().map(|item| read_copy(&item.fields()?));
    Some(Version {
        id: VersionId::known(text("version")?),
        session: SessionKey::new(text("session")?),
        store: PathBuf::from(text("store")?),
        file: text("file")?,
        time: whole(fields, "time")?,
        files: files.collect::<Option<_>>()?,
        card: read_card(&fields.object("card")?),
    })
}

fn read_card(fields: &Fields<'_>) -> Card {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    let models = fields.get("models").into_iter().flat_map(Value::items);
    Card {
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
            CopyKind::File { content: ContentId::parse(&digits.decode())?, bytes: fields.count("bytes")? }
        }
        None => CopyKind::Folder,
    };
    Some(FileCopy {
        path: fields.text("path")?.to_string(),
        kind,
        mode: u32::try_from(fields.count("mode")?).ok()?,
        modified: whole(fields, "modified")?,
        seen: Seen { changed: whole(fields, "changed")?, inode: fields.count("inode")? },
    })
}

/// A whole number: nanoseconds are more than a float can hold.
fn whole(fields: &Fields<'_>, key: &str) -> Option<i64> {
    std::str::from_utf8(fields.get(key)?.raw()).ok()?.parse().ok()
}
