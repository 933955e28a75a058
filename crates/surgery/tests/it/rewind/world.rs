//! A made-up client that edits files and keeps copies as each release did, beside a model of every file.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::digest::sha256;
use annals_store::project_slug;
use annals_testkit::builder;
use annals_testkit::home::Home;

pub(crate) const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// How copies are kept and recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Snapshots, and updates of them.
    Snapshots,
    /// The same, with a first copy that is made after the first edit.
    Late,
    /// Snapshots, and a delta for each new file.
    Deltas,
    /// The contents in the records.
    Contents,
}

pub(crate) const ERAS: [Era; 4] = [Era::Snapshots, Era::Late, Era::Deltas, Era::Contents];

/// Files of the working directory by name; `None` if deleted.
pub(crate) type Model = BTreeMap<String, Option<String>>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    name: Option<String>,
    version: u32,
    content: Option<String>,
}

pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) work: PathBuf,
    era: Era,
    session: builder::Session,
    tracked: BTreeMap<String, Kept>,
    of_turn: Vec<String>,
    prompt: String,
    calls: u32,
    /// The state of every file at each prompt.
    pub(crate) models: Vec<Model>,
}

impl World {
    pub(crate) fn new(era: Era) -> Self {
        let home = Home::new();
        let work = home.path().join("work folder");
        fs::create_dir_all(&work).unwrap();
        let session = builder::Session::new().id(ID).folder(&work.display().to_string());
        Self {
            home,
            work,
            era,
            session,
            tracked: BTreeMap::new(),
            of_turn: Vec::new(),
            prompt: String::new(),
            calls: 0,
            models: Vec::new(),
        }
    }

    fn add(&mut self, with: impl FnOnce(builder::Session) -> builder::Session) {
        let session = std::mem::take(&mut self.session);
        self.session = with(session);
    }

    pub(crate) fn now(&self) -> Model {
        let names = ["old.txt", "src/deep.rs", "new.txt", "late.txt"];
        names
            .map(|name| (name.to_owned(), fs::read_to_string(self.work.join(name)).ok()))
            .into_iter()
            .collect()
    }

    pub(crate) fn put(&self, name: &str, content: &str) {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn keep(&mut self, name: &str, content: Option<String>) -> Kept {
        let version = match self.tracked.get(name) {
            Some(kept) if kept.content == content => return kept.clone(),
            Some(kept) => kept.version + 1,
            None => 1,
        };
        let hash = &sha256(self.work.join(name).display().to_string().as_bytes())[..16];
        let copy = content.as_ref().map(|_| format!("{hash}@v{version}"));
        if let (Some(copy), Some(content)) = (&copy, &content) {
            self.home.write(format!("file-history/{ID}/{copy}"), content);
        }
        let kept = Kept { name: copy, version, content };
        self.tracked.insert(name.to_owned(), kept.clone());
        kept
    }

    fn write_kept(&self, kept: &Kept, key: &str, object: &mut ObjectWriter<'_>) {
        match (self.era, &kept.content) {
            (Era::Contents, Some(content)) => drop(object.string(key, content)),
            _ => drop(object.object(key, |object| {
                object.string_or_null("backupFileName", kept.name.as_deref()).number("version", kept.version);
            })),
        }
    }

    fn snapshot(&mut self, message: &str, is_update: bool) {
        let mut tracked = Vec::new();
        let mut object = ObjectWriter::begin(&mut tracked);
        for (name, kept) in &self.tracked {
            self.write_kept(kept, name, &mut object);
        }
        object.end();
        let (message, prompt) = (message.to_owned(), self.prompt.clone());
        self.add(|session| {
            session.side("file-history-snapshot", |object| {
                object.string("messageId", &message).object("snapshot", |object| {
                    object.string("messageId", &prompt).raw("trackedFileBackups", &tracked);
                });
                object.boolean("isSnapshotUpdate", is_update);
            })
        });
    }

    /// Sends a prompt and takes a snapshot.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.models.push(self.now());
        self.add(|session| session.prompt(text));
        self.prompt = self.session.last_uuid().unwrap().to_owned();
        self.of_turn.clear();
        for name in self.tracked.keys().cloned().collect::<Vec<_>>() {
            let content = fs::read_to_string(self.work.join(&name)).ok();
            self.keep(&name, content);
        }
        let prompt = self.prompt.clone();
        self.snapshot(&prompt, false);
    }

    pub(crate) fn reply(&mut self, text: &str) {
        self.add(|session| session.reply(text));
    }

    /// Edits a file with a tool.
    pub(crate) fn edit(&mut self, name: &str, content: &str) {
        let before = fs::read_to_string(self.work.join(name)).ok();
        let is_first = !self.tracked.contains_key(name);
        if is_first {
            let copied = if self.era == Era::Late && before.is_some() {
                Some(content.to_owned())
            } else {
                before.clone()
            };
            self.keep(name, copied);
        }
        let path = self.work.join(name).display().to_string();
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let call = format!(
            r#"{{"id":"msg_{id}","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"{id}","name":"Write","input":{{}}}}]}}"#
        );
        self.add(|session| {
            session.chained("assistant", |object| {
                object.raw("message", call.as_bytes());
            })
        });
        if is_first && self.era == Era::Deltas {
            let kept = self.tracked[name].clone();
            let mut backup = Vec::new();
            let mut object = ObjectWriter::begin(&mut backup);
            object.string_or_null("backupFileName", kept.name.as_deref()).number("version", kept.version);
            object.end();
            let prompt = self.prompt.clone();
            self.add(|session| {
                session.side("file-history-delta", |object| {
                    object.string("messageId", "x").string("snapshotMessageId", &prompt);
                    object.string("trackingPath", name).raw("backup", &backup);
                })
            });
        } else if is_first {
            let message = self.session.last_uuid().unwrap().to_owned();
            self.snapshot(&message, true);
        }
        let result = format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}]}}"#
        );
        self.add(|session| {
            session.chained("user", |object| {
                object.raw("message", result.as_bytes()).object("toolUseResult", |object| {
                    object.string("type", "update").string("filePath", &path).string("content", content);
                    object.raw("structuredPatch", b"[]").string_or_null("originalFile", before.as_deref());
                });
            })
        });
        self.put(name, content);
    }

    pub(crate) fn side(&mut self, kind: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.add(|session| session.side(kind, fill));
    }

    pub(crate) fn last_prompt(&self) -> String {
        self.prompt.clone()
    }

    /// Writes the session's file.
    pub(crate) fn write(&mut self) -> PathBuf {
        let bytes = std::mem::take(&mut self.session).into_bytes();
        let slug = project_slug(&self.work.display().to_string());
        self.home.write(format!("projects/{slug}/{ID}.jsonl"), bytes)
    }
}

/// Four turns: an old file is changed, one is created, one is in a subfolder, one is created late; the third turn changes
/// nothing.
pub(crate) fn story(era: Era) -> World {
    let mut world = World::new(era);
    world.put("old.txt", "one\n");
    world.put("src/deep.rs", "fn a() {}\n");
    world.prompt("first");
    world.edit("old.txt", "two\n");
    world.edit("new.txt", "fresh\n");
    world.reply("done");
    world.prompt("second");
    world.edit("old.txt", "three\n");
    world.edit("old.txt", "four\n");
    world.edit("src/deep.rs", "fn b() {}\n");
    world.reply("done");
    world.prompt("third");
    world.reply("nothing to do");
    world.prompt("fourth");
    world.edit("late.txt", "late\n");
    world.edit("new.txt", "stale\n");
    world.reply("done");
    world
}
