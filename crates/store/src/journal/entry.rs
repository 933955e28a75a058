//! One entry of the journal, in memory and as JSON.

use std::path::{Path, PathBuf};

use annals_json::{Fields, ObjectWriter, Value};

use super::effect::Effect;
use super::path_text;
use crate::files::{exists, make_writable};
use crate::key::SessionKey;
use crate::layout::{ConfigDir, FileRole};

/// How far a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// It may have happened in part.
    Begun,
    /// It has happened.
    Done,
    /// It has happened, and `annals undo` has reverted it.
    Undone,
    /// It was done, and the trash was emptied: it can no longer be undone.
    Emptied,
}

impl Stage {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Undone => "undone",
            Self::Emptied => "emptied",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Begun, Self::Done, Self::Undone, Self::Emptied].into_iter().find(|stage| stage.name() == word)
    }
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalEntry {
    /// Its id; ids sort by the order of the changes.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// A description of the change.
    pub what: String,
    /// The config dir of the store that it belongs to; `None` where an older release did not note it and nothing tells.
    pub store: Option<PathBuf>,
    /// How far it is.
    pub stage: Stage,
    /// What it does, in order.
    pub effects: Vec<Effect>,
}

impl JournalEntry {
    /// Makes the folders that the change made writable, before it is reverted: a mode that came back may forbid it.
    pub(crate) fn make_folders_writable(&self) {
        for effect in &self.effects {
            if let Effect::FolderCreated { path } = effect {
                make_writable(path);
            }
        }
    }

    /// Whether it belongs to a store; links to the store's folder are followed.
    pub fn is_of(&self, config: &ConfigDir) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        self.store.as_ref().is_some_and(|store| real(store) == real(config.path()))
    }

    /// The sessions whose own files it changed, each with the place of its file now, as far as it exists.
    pub fn sessions(&self) -> Vec<(SessionKey, Option<PathBuf>)> {
        let mut found: Vec<(SessionKey, Option<PathBuf>)> = Vec::new();
        for effect in &self.effects {
            let (path, also) = match effect {
                Effect::Moved { from, to } => (from, Some(to)),
                other => (other.path(), None),
            };
            let session = [Some(path), also].into_iter().flatten().find_map(|path| session_at(path));
            let Some(session) = session else { continue };
            let place = [Some(path), also].into_iter().flatten().find(|path| exists(path)).cloned();
            match found.iter_mut().find(|(known, _)| *known == session) {
                Some((_, known)) => *known = known.take().or(place),
                None => found.push((session, place)),
            }
        }
        found
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", 1_u64).string("id", &self.id).number("time", self.time);
        object.string("what", &self.what).string("stage", self.stage.name());
        if let Some(store) = &self.store {
            path_text::write(&mut object, "store", store);
        }
        object.array("effects", |list| {
            for effect in &self.effects {
                list.object(|object| effect.write(object));
            }
        });
        object.end();
        out.push(b'\n');
        out
    }

    pub(super) fn read(fields: &Fields<'_>) -> Option<Self> {
        let text = |key: &str| fields.text(key).map(|text| text.to_string());
        let effects = fields.get("effects")?.items().map(|item| Effect::read(&item.fields()?));
        let effects: Vec<Effect> = effects.collect::<Option<_>>()?;
        let id = text("id")?;
        Some(Self {
            time: fields.get("time").and_then(Value::number)? as i64,
            what: text("what")?,
            store: path_text::read(fields, "store").or_else(|| store_of(&id, &effects)),
            stage: Stage::of(&text("stage")?)?,
            effects,
            id,
        })
    }
}

fn session_at(path: &Path) -> Option<SessionKey> {
    match ConfigDir::containing(path)?.role(path) {
        FileRole::Session { session, .. } => Some(session),
        _ => None,
    }
}

/// The store that a change belongs to, by what it changed.
pub(super) fn store_of(id: &str, effects: &[Effect]) -> Option<PathBuf> {
    let by_role = |path: &Path| {
        let config = ConfigDir::containing(path)?;
        (config.role(path) != FileRole::Unknown).then(|| config.path().to_path_buf())
    };
    // What goes to the trash keeps its path from the store on.
    let by_trash = |from: &Path, to: &Path| {
        let batch = to.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == id))?;
        let inside = to.strip_prefix(batch).ok()?;
        let mut store = from.to_path_buf();
        for part in inside.components().rev() {
            (store.file_name() == Some(part.as_os_str()) && store.pop()).then_some(())?;
        }
        Some(store)
    };
    let known = effects.iter().find_map(|effect| match effect {
        Effect::Moved { from, to } => by_role(from).or_else(|| by_role(to)),
        other => by_role(other.path()),
    });
    known.or_else(|| {
        effects.iter().find_map(|effect| match effect {
            Effect::Moved { from, to } => by_trash(from, to),
            _ => None,
        })
    })
}
