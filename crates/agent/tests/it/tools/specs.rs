//! What the model is told: sound definitions, the same bytes each time, and inputs that are refused before they run.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use annals_agent::tools::agent::{AgentType, Errand, SpawnError, Spawned, Spawner};
use annals_agent::tools::fetch::{PageReader, Reach, SystemResolver, WebSettings};
use annals_agent::tools::todo::Todos;
use annals_agent::tools::web_search::{Piece, Query, Searcher};
use annals_agent::tools::{
    Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, NotebookEdit, Read, Reply, Scene, Task,
    TodoWrite, Tool, WebFetch, WebSearch, Write,
};
use annals_json::{Fields, Value};

use super::{Bench, run, shown};

/// Does nothing of what it could.
struct Nobody;

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Spawner for Nobody {
    fn types(&self) -> Vec<AgentType> {
        Vec::new()
    }

    fn spawn<'a>(&'a self, _: &'a Errand, _: &'a Scene<'a>) -> Spawned<'a> {
        Box::pin(async { Err(SpawnError::Interrupted) })
    }
}

impl Searcher for Nobody {
    fn search<'a>(&'a self, _: &'a Query) -> Later<'a, Result<Reply<Vec<Piece>>, String>> {
        Box::pin(async { Err(String::new()) })
    }
}

impl PageReader for Nobody {
    fn read<'a>(&'a self, _: &'a str, _: &'a str) -> Later<'a, Result<Reply<String>, String>> {
        Box::pin(async { Err(String::new()) })
    }
}

fn all(bench: &Bench) -> Vec<Box<dyn Tool>> {
    let (ground, shells) = (&bench.ground, &bench.shells);
    let settings = WebSettings {
        reach: Reach::Public,
        resolver: Box::new(SystemResolver),
        user_agent: "test".to_owned(),
        trusted: Vec::new(),
        time: Duration::from_secs(1),
    };
    vec![
        Box::new(Read::new(ground.clone())),
        Box::new(Write::new(ground.clone())),
        Box::new(Edit::new(ground.clone())),
        Box::new(NotebookEdit::new(ground.clone())),
        Box::new(Glob::new(ground.clone())),
        Box::new(Grep::new(ground.clone())),
        Box::new(Bash::new(ground.clone(), shells.clone())),
        Box::new(BashOutput::new(shells.clone())),
        Box::new(KillShell::new(shells.clone())),
        Box::new(TodoWrite::new(Arc::new(Todos::new(Vec::new(), Box::new(()))))),
        Box::new(ExitPlanMode),
        Box::new(Task::new(Box::new(Nobody))),
        Box::new(WebSearch::new(Box::new(Nobody), Arc::default())),
        Box::new(WebFetch::new(settings, Box::new(Nobody))),
    ]
}

#[tokio::test]
async fn every_definition_is_sound() {
    let bench = Bench::new();
    let mut names = BTreeSet::new();
    for tool in all(&bench) {
        let spec = tool.spec();
        assert_eq!(spec, tool.spec());
        let json = Value::parse(&spec.json).unwrap();
        assert!(json.get("name").unwrap().text().unwrap().is(&spec.name));
        assert!(json.get("description").unwrap().text().unwrap().decode().len() > 40, "{}", spec.name);
        let schema = json.get("input_schema").unwrap();
        let properties = schema.get("properties").unwrap().fields().unwrap();
        for property in properties.iter() {
            assert!(property.value.get("type").is_some(), "{} {}", spec.name, property.key);
        }
        for needed in schema.get("required").unwrap().items() {
            assert!(properties.get(&needed.text().unwrap().decode()).is_some(), "{}", spec.name);
        }
        assert!(names.insert(spec.name));
    }
    assert_eq!(names.len(), 14);
}

#[tokio::test]
async fn an_empty_input_is_refused_by_the_call_and_by_the_run() {
    let bench = Bench::new();
    for tool in all(&bench) {
        let name = tool.spec().name;
        assert!(tool.call(&Fields::scan(b"{}").unwrap().0).is_err(), "{name}");
        let outcome = run(tool.as_ref(), &[]).await;
        assert!(outcome.is_error && shown(&outcome).starts_with("<tool_use_error>"), "{name}");
    }
}
