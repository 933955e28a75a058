//! Tools in temporary folders: results for the model, records for the session, and leftovers.

mod bitmap;
mod changes;
mod documents;
mod ends;
#[cfg(target_os = "linux")]
mod escapes;
mod fetching;
mod flood;
mod inward;
mod notebooks;
mod patches;
mod pictures;
mod races;
mod reading;
mod recording;
mod searching;
mod shell;
mod specs;
mod tasks;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_agent::protocol::ToolProgress;
use annals_agent::tools::bash::{ShellSettings, Shells, for_commands};
use annals_agent::tools::{CallContext, Outcome, TaskOutput, TaskStop, Tool, ToolContent, ToolContext};
use annals_json::{ObjectWriter, Value};
use annals_policy::paths::{Disk, Workspace};
use annals_testkit::temp::TempDir;
use annals_transcript::tool_result::ToolUseResult;

/// A workspace with tools on it.
struct Fixture {
    temp: TempDir,
    context: Arc<ToolContext>,
    shells: Arc<Shells>,
}

/// One value of an input.
enum Arg<'a> {
    Text(&'a str),
    Count(u64),
    Flag(bool),
    Raw(&'a str),
}

use Arg::{Count, Flag, Raw, Text};

impl Fixture {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// With other settings of the shell.
    fn with(adjust: impl FnOnce(&mut ShellSettings)) -> Self {
        let temp = TempDir::new("tools");
        let work = temp.path().join("work");
        fs::create_dir(&work).unwrap();
        let workspace = Workspace::new(&Disk, &work, &work, Some(&temp.path().join("home")));
        let context = Arc::new(ToolContext::new(workspace, Box::new(()), Box::new(())));
        let path = std::env::var_os("PATH").unwrap();
        let environment = for_commands(&[(OsString::from("PATH"), path)]);
        let session = Some(temp.path().join("session"));
        // Nobody else has this folder.
        let mark = temp.path().display().to_string();
        let mut settings = ShellSettings::usual(temp.path().join("scratch"), session, environment, mark);
        adjust(&mut settings);
        Self { temp, context, shells: Arc::new(Shells::new(settings)) }
    }

    fn work(&self) -> PathBuf {
        self.temp.path().join("work")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.temp.write(Path::new("work").join(name), bytes)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.work().join(name)).unwrap()
    }
}

fn input(args: &[(&str, Arg<'_>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    for (key, arg) in args {
        match arg {
            Text(text) => object.string(key, text),
            Count(count) => object.number(key, *count),
            Flag(flag) => object.boolean(key, *flag),
            Raw(json) => object.raw(key, json.as_bytes()),
        };
    }
    object.end();
    out
}

async fn run(tool: &dyn Tool, args: &[(&str, Arg<'_>)]) -> Outcome {
    run_agreed(tool, args, None).await
}

async fn run_agreed(tool: &dyn Tool, args: &[(&str, Arg<'_>)], agreed: Option<&Path>) -> Outcome {
    let input = input(args);
    let tell = |_: ToolProgress| {};
    tool.run(&input, &CallContext { tool_use: "toolu_01", tell: &tell, agreed, parent: None }).await
}

/// What the model sees as a text.
fn shown(outcome: &Outcome) -> &str {
    match &outcome.shown {
        ToolContent::Text(text) => text,
        ToolContent::Blocks(_) => panic!("blocks, not a text"),
    }
}

/// That a call was refused, and said so in the way in which all of them say it.
fn refused(outcome: &Outcome, words: &str) {
    let text = shown(outcome);
    assert!(outcome.is_error, "no error: {text}");
    assert!(text.starts_with("<tool_use_error>") && text.ends_with("</tool_use_error>"), "{text}");
    assert!(text.contains(words), "{text:?} does not say {words:?}");
    assert_eq!(shape(outcome), "text");
    assert!(outcome.changed.is_empty());
}

/// The shape of what is kept, as our own reader of sessions sees it.
fn shape(outcome: &Outcome) -> &'static str {
    ToolUseResult::new(kept(outcome)).shape()
}

fn kept(outcome: &Outcome) -> Value<'_> {
    Value::parse(&outcome.kept).unwrap()
}

/// A text that is kept, by its key.
fn kept_text(outcome: &Outcome, key: &str) -> String {
    kept(outcome).get(key).unwrap_or_else(|| panic!("no {key}")).text().unwrap().decode().into_owned()
}

/// A text of the background task that is kept, by its key.
fn task_text(outcome: &Outcome, key: &str) -> String {
    let task = kept(outcome).get("task").unwrap_or_else(|| panic!("no task: {}", shown(outcome)));
    task.get(key).unwrap_or_else(|| panic!("no {key}")).text().unwrap().decode().into_owned()
}

/// The tools that show and end background commands.
fn task_tools(fixture: &Fixture) -> (TaskOutput, TaskStop) {
    let shells = &fixture.shells;
    (TaskOutput::new(shells.clone(), Arc::default()), TaskStop::new(shells.clone(), Arc::default()))
}

/// That every key that is kept is one that the views know.
fn knows(outcome: &Outcome, keys: &[&str]) {
    let fields = kept(outcome).fields().unwrap();
    for field in fields.iter() {
        let key = field.key.decode();
        assert!(keys.contains(&key.as_ref()), "{key} is kept, and no session has it");
    }
}
