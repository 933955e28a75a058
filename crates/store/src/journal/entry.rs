//! One entry of the journal, in memory and as JSON.

use annals_json::{Fields, ObjectWriter, Value};

use super::effect::Effect;

/// How far a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// It may have happened in part.
    Begun,
    /// It has happened.
    Done,
    /// It was undone.
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
pub struct JournalEntry {
    /// Its id; ids sort by time.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// A description of the change.
    pub what: String,
    /// How far it is.
    pub stage: Stage,
    /// What it does, in order.
    pub effects: Vec<Effect>,
}

impl JournalEntry {
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        object.number("version", 1_u64).string("id", &self.id).number("time", self.time);
        object.string("what", &self.what).string("stage", self.stage.name());
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
        Some(Self {
            id: text("id")?,
            time: fields.get("time").and_then(Value::number)? as i64,
            what: text("what")?,
            stage: Stage::of(&text("stage")?)?,
            effects: effects.collect::<Option<_>>()?,
        })
    }
}
