//! An item to write: checked if it comes from outside; unknown fields are kept.

use annals_json::{Fields, Value, ValueKind, write_string};

use super::Todo;
use crate::indent::RawField;

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

impl TodoStatus {
    /// Every status, in the order of a task's life.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }

    /// Reads the word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == word)
    }
}

/// An item to be written. One that was read keeps its other fields, byte for byte and in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoItem {
    /// The task.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The same in the present tense.
    pub active_form: Option<String>,
    /// `high`, `medium`, `low`; early versions only.
    pub priority: Option<String>,
    /// Its id; early versions only.
    pub id: Option<String>,
    /// The object that it was read from.
    source: Option<Vec<u8>>,
}

/// The problem with a field of an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldFault {
    /// It must be there.
    #[error("is missing")]
    Missing,
    /// It must be a string.
    #[error("is not a string")]
    NotText,
    /// It must say something.
    #[error("is empty")]
    Empty,
    /// It must be one of the words.
    #[error("is {0:?}, but must be pending, in_progress or completed")]
    NoStatus(String),
}

/// Why a list of items was refused. Items are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemError {
    /// The text could not be parsed.
    #[error("byte {at}: not JSON")]
    NotJson {
        /// The offset of the error.
        at: usize,
    },
    /// It is JSON, and no list.
    #[error("not a list of items")]
    NotAList,
    /// An item is neither.
    #[error("item {number}: neither a string nor an object")]
    NotAnItem {
        /// Which.
        number: usize,
    },
    /// A field of an item is wrong.
    #[error("item {number}: `{field}` {fault}")]
    Field {
        /// Which item.
        number: usize,
        /// The key, as in `content`.
        field: &'static str,
        /// The problem.
        fault: FieldFault,
    },
}

impl TodoItem {
    /// A new item.
    pub fn new(content: impl Into<String>, status: TodoStatus) -> Self {
        let content = content.into();
        Self { content, status, active_form: None, priority: None, id: None, source: None }
    }

    /// Reads a list of items: objects, or texts that are pending.
    pub fn list(json: &[u8]) -> Result<Vec<Self>, ItemError> {
        let value = Value::parse(json).map_err(|fault| ItemError::NotJson { at: fault.at })?;
        if value.kind() != ValueKind::Array {
            return Err(ItemError::NotAList);
        }
        value.items().enumerate().map(|(at, item)| Self::read(item, at + 1)).collect()
    }

    fn read(value: Value<'_>, number: usize) -> Result<Self, ItemError> {
        let wrong = |field, fault| ItemError::Field { number, field, fault };
        if let Some(text) = value.text() {
            let item = Self::new(text.decode(), TodoStatus::Pending);
            return if item.content.trim().is_empty() {
                Err(wrong("content", FieldFault::Empty))
            } else {
                Ok(item)
            };
        }
        let fields = value.fields().ok_or(ItemError::NotAnItem { number })?;
        let optional = |key: &'static str| match fields.get(key) {
            None => Ok(None),
            Some(value) if value.is_null() => Ok(None),
            Some(value) => match value.text() {
                Some(text) => Ok(Some(text.decode().into_owned())),
                None => Err(wrong(key, FieldFault::NotText)),
            },
        };
        let needed = |key: &'static str| match optional(key)? {
            Some(text) if text.trim().is_empty() => Err(wrong(key, FieldFault::Empty)),
            Some(text) => Ok(text),
            None => Err(wrong(key, FieldFault::Missing)),
        };
        let content = needed("content")?;
        let word = needed("status")?;
        let status = TodoStatus::of(&word).ok_or_else(|| wrong("status", FieldFault::NoStatus(word)))?;
        Ok(Self {
            content,
            status,
            active_form: optional("activeForm")?,
            priority: optional("priority")?,
            id: optional("id")?,
            source: Some(value.raw().to_vec()),
        })
    }

    /// The known fields as they are to be, in the order of a new item.
    fn known(&self) -> [(&'static str, Option<&str>); 5] {
        [
            ("content", Some(&self.content)),
            ("status", Some(self.status.name())),
            ("activeForm", self.active_form.as_deref()),
            ("priority", self.priority.as_deref()),
            ("id", self.id.as_deref()),
        ]
    }

    /// Every field as written in the file.
    pub(super) fn fields(&self) -> Vec<RawField> {
        let quoted = |text: &str| {
            let mut out = Vec::new();
            write_string(&mut out, text);
            out
        };
        let source = self.source.as_deref().and_then(|raw| Fields::scan(raw).ok()).map(|(fields, _)| fields);
        let mut out: Vec<RawField> = Vec::new();
        for field in source.iter().flat_map(|fields| fields.iter()) {
            let key = [b"\"", field.key.raw(), b"\""].concat();
            let known = self.known().into_iter().find(|(key, _)| field.key.is(key));
            let value = match known {
                None => field.value.raw().to_vec(),
                // Unchanged values keep their spelling; so does a null.
                Some((_, wanted)) if field.value.text().map(|text| text.decode()).as_deref() == wanted => {
                    field.value.raw().to_vec()
                }
                Some((_, Some(wanted))) => quoted(wanted),
                Some((_, None)) => continue,
            };
            out.push((key, value));
        }
        let is_new = |key: &str| source.as_ref().is_none_or(|fields| fields.get(key).is_none());
        for (key, wanted) in self.known() {
            if let Some(wanted) = wanted.filter(|_| is_new(key)) {
                out.push((quoted(key), quoted(wanted)));
            }
        }
        out
    }
}

impl From<&Todo<'_>> for TodoItem {
    /// An item of a list that is there. A status that no client writes reads as pending.
    fn from(todo: &Todo<'_>) -> Self {
        let owned = |text: Option<annals_json::Text<'_>>| text.map(|text| text.to_string());
        Self {
            content: owned(todo.content()).unwrap_or_default(),
            status: todo
                .status()
                .and_then(|word| TodoStatus::of(&word.decode()))
                .unwrap_or(TodoStatus::Pending),
            active_form: owned(todo.active_form()),
            priority: owned(todo.priority()),
            id: owned(todo.id()),
            source: Some(todo.fields().raw().to_vec()),
        }
    }
}
