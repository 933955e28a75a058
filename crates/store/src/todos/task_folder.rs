//! The tasks of a session, read and written one by one: `tasks/<session>/<n>.json`.

use std::fs;
use std::path::PathBuf;

use annals_json::{Field, Fields, RawJson, Text, Value, ValueKind};

use super::TodoStatus;
use crate::files::{PlainName, WriteError};
use crate::indent;
use crate::key::SessionKey;
use crate::layout::ConfigDir;
use crate::read::read_below;
use crate::replaced_file::replace;

/// The fields of a task, in the order in which clients write them.
const ORDER: [&str; 9] =
    ["id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"];
/// Holds the largest id that was ever deleted, so that it is not given again.
const HIGH_MARK: &str = ".highwatermark";

/// How deep a value is spread over lines.
const MAX_DEPTH: usize = 32;

/// A task to be written. One that was read keeps its other fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskItem {
    /// Each key with its value as JSON.
    fields: Vec<(String, Vec<u8>)>,
}

impl TaskItem {
    /// A new task, which is pending.
    pub fn new(id: u64, subject: &str, description: &str) -> Self {
        let mut task = Self { fields: Vec::new() };
        task.set_text("id", &id.to_string());
        task.set_text("subject", subject);
        task.set_text("description", description);
        task.set_text("status", TodoStatus::Pending.name());
        task.set_list("blocks", &[]);
        task.set_list("blockedBy", &[]);
        task
    }

    /// Reads a task; `None` if it is no object with an id.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let fields: Fields<'_> = Value::parse(json).ok()?.fields()?;
        fields.text("id")?;
        let fields = fields.iter().map(|field| (field.key.decode().into_owned(), field.value.raw().to_vec()));
        Some(Self { fields: fields.collect() })
    }

    /// Returns a value as JSON.
    pub fn value(&self, key: &str) -> Option<Value<'_>> {
        let (_, raw) = self.fields.iter().find(|(known, _)| known == key)?;
        Value::parse(raw).ok()
    }

    /// Returns a text; empty if it has none.
    pub fn text(&self, key: &str) -> String {
        self.value(key).and_then(Value::text).map(Text::decode).unwrap_or_default().into_owned()
    }

    /// Returns the ids in a list.
    pub fn list(&self, key: &str) -> Vec<String> {
        let items = self.value(key).into_iter().flat_map(Value::items);
        items.filter_map(Value::text).map(|text| text.decode().into_owned()).collect()
    }

    /// Returns the id that other tasks name in `blocks` and `blockedBy`; the file is called after it.
    pub fn id(&self) -> String {
        self.text("id")
    }

    /// Returns how far it is; a word that no client writes reads as pending.
    pub fn status(&self) -> TodoStatus {
        TodoStatus::of(&self.text("status")).unwrap_or(TodoStatus::Pending)
    }

    /// Sets a value: JSON.
    pub fn set(&mut self, key: &str, json: Vec<u8>) {
        if let Some((_, known)) = self.fields.iter_mut().find(|(known, _)| known == key) {
            *known = json;
            return;
        }
        let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
        let before = self.fields.iter().rposition(|(known, _)| place(known) <= place(key));
        self.fields.insert(before.map_or(0, |at| at + 1), (key.to_owned(), json));
    }

    /// Adds or replaces a field of the task whose value is a text.
    pub fn set_text(&mut self, key: &str, text: &str) {
        self.set(key, RawJson::string(text).raw().to_vec());
    }

    /// Sets a list of ids.
    pub fn set_list(&mut self, key: &str, ids: &[String]) {
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| RawJson::string(id).raw().to_vec()).collect();
        self.set(key, [b"[", &ids.join(&b","[..])[..], b"]"].concat());
    }

    /// Formats the task like the client.
    pub fn to_bytes(&self) -> Vec<u8> {
        let fields =
            self.fields.iter().map(|(key, raw)| (RawJson::string(key).raw().to_vec(), spread(raw, 1)));
        indent::object(&fields.collect::<Vec<_>>(), 0)
    }
}

/// Spreads a value over lines. What is nested too deep stays on one line.
fn spread(raw: &[u8], depth: usize) -> Vec<u8> {
    let Ok(value) = Value::parse(raw) else { return raw.to_vec() };
    if depth > MAX_DEPTH {
        return raw.to_vec();
    }
    match value.kind() {
        ValueKind::Array => indent::list(value.items().map(|item| spread(item.raw(), depth + 1)), depth),
        ValueKind::Object => {
            let fields = value.fields();
            let fields = fields.iter().flat_map(|fields| fields.iter());
            let spread_field = |field: Field<'_>| {
                ([b"\"", field.key.raw(), b"\""].concat(), spread(field.value.raw(), depth + 1))
            };
            indent::object(&fields.map(spread_field).collect::<Vec<_>>(), depth)
        }
        _ => raw.to_vec(),
    }
}

/// The tasks of one session.
#[derive(Clone, Debug)]
pub struct TaskFolder {
    root: PathBuf,
    folder: PathBuf,
}

impl TaskFolder {
    /// The tasks of this session, which may have none.
    pub fn new(config: &ConfigDir, session: &SessionKey) -> Result<Self, WriteError> {
        PlainName::new(session.as_str(), "a session id")?;
        Ok(Self { root: config.path().to_path_buf(), folder: config.tasks().join(session.as_str()) })
    }

    /// Returns the tasks by their ids. A file that is no task is passed over.
    pub fn read(&self) -> Vec<TaskItem> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
        let is_task = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
        let mut paths: Vec<(u64, PathBuf)> = entries
            .map(|entry| entry.path())
            .filter(is_task)
            .filter_map(|path| Some((number(&path)?, path)))
            .collect();
        paths.sort();
        let read = |(_, path): &(u64, PathBuf)| TaskItem::parse(&read_below(&self.root, path).ok()?);
        paths.iter().filter_map(read).collect()
    }

    /// Returns an id that no task has or had.
    pub fn next_id(&self) -> u64 {
        let ids = self.read().into_iter().filter_map(|task| task.id().parse::<u64>().ok());
        ids.max().unwrap_or(0).max(self.high_mark()).saturating_add(1)
    }

    fn high_mark(&self) -> u64 {
        let mark = read_below(&self.root, &self.folder.join(HIGH_MARK)).ok();
        mark.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse().ok()).unwrap_or(0)
    }

    /// Writes a task, atomically.
    pub fn write(&self, task: &TaskItem) -> Result<(), WriteError> {
        replace(&self.path(task)?, &task.to_bytes()).map(drop)
    }

    /// Removes a task; its id is not given again.
    pub fn remove(&self, task: &TaskItem) -> Result<(), WriteError> {
        let path = self.path(task)?;
        let mark = self.high_mark().max(task.id().parse().unwrap_or(0));
        replace(&self.folder.join(HIGH_MARK), mark.to_string().as_bytes())?;
        fs::remove_file(&path).map_err(WriteError::at(&path))
    }

    fn path(&self, task: &TaskItem) -> Result<PathBuf, WriteError> {
        let id = task.id();
        PlainName::new(&id, "the id of a task")?;
        Ok(self.folder.join(format!("{id}.json")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_written_as_the_client_writes_it() {
        let mut task = TaskItem::new(3, "Three", "third");
        task.set_list("blockedBy", &["2".to_owned()]);
        task.set("metadata", br#"{"k":[1,{"z":2}]}"#.to_vec());
        task.set_text("activeForm", "Doing");
        assert_eq!(
            String::from_utf8(task.to_bytes()).unwrap(),
            "{\n  \"id\": \"3\",\n  \"subject\": \"Three\",\n  \"description\": \"third\",\n  \"activeForm\": \"Doing\",\n  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": [\n    \"2\"\n  ],\n  \"metadata\": {\n    \"k\": [\n      1,\n      {\n        \"z\": 2\n      }\n    ]\n  }\n}"
        );
        let mut other = TaskItem::parse(br#"{"odd":1,"id":"7","subject":"s"}"#).unwrap();
        other.set_text("status", "completed");
        assert_eq!(
            String::from_utf8(other.to_bytes()).unwrap(),
            "{\n  \"odd\": 1,\n  \"id\": \"7\",\n  \"subject\": \"s\",\n  \"status\": \"completed\"\n}"
        );
        assert_eq!(TaskItem::parse(b"[]"), None);
    }

    #[test]
    fn ids_are_not_given_twice() {
        let temp = annals_testkit::temp::TempDir::new("task-folder");
        let config = ConfigDir::new(temp.path());
        let folder = TaskFolder::new(&config, &SessionKey::new("s")).unwrap();
        assert_eq!((folder.read(), folder.next_id()), (Vec::new(), 1));
        let tasks = [1, 2, 10].map(|id| TaskItem::new(id, "a", "b"));
        tasks.iter().for_each(|task| folder.write(task).unwrap());
        temp.write("tasks/s/11.json", "[]");
        temp.write("tasks/s/notes.txt", "x");
        assert_eq!(folder.read(), tasks);
        folder.remove(&tasks[2]).unwrap();
        assert_eq!((folder.read().len(), folder.next_id()), (2, 11));
        let outside = TaskItem::parse(br#"{"id":"../x"}"#).unwrap();
        assert!(folder.write(&outside).is_err() && TaskFolder::new(&config, &SessionKey::new("..")).is_err());
    }
}
