//! Tool definitions: valid, byte-stable, and with invalid inputs rejected before a call runs.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use annals_agent::tools::agent::{AgentTask, AgentType, SpawnError, SpawnFuture, Spawner};
use annals_agent::tools::fetch::{FetchScope, PageReader, SystemResolver, WebSettings};
use annals_agent::tools::tasks::Tasks;
use annals_agent::tools::todo::Todos;
use annals_agent::tools::web_search::{Query, SearchPart, Searcher};
use annals_agent::tools::{
    AgentTool, Bash, CallContext, Edit, ExitPlanMode, Glob, Grep, NotebookEdit, Read, Reply, SendMessage,
    TaskCreate, TaskGet, TaskOutput, TaskStop, TaskUpdate, TodoWrite, Tool, WebFetch, WebSearch, Write,
};
use annals_json::{Fields, Value};

use super::{Fixture, run, shown};

/// Does nothing of what it could.
struct Nobody;

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Spawner for Nobody {
    fn types(&self) -> Vec<AgentType> {
        Vec::new()
    }

    fn spawn<'a>(&'a self, _: &'a AgentTask, _: &'a CallContext<'a>) -> SpawnFuture<'a> {
        Box::pin(async { Err(SpawnError::Interrupted) })
    }
}

impl Searcher for Nobody {
    fn search<'a>(&'a self, _: &'a Query) -> Later<'a, Result<Reply<Vec<SearchPart>>, String>> {
        Box::pin(async { Err(String::new()) })
    }
}

impl PageReader for Nobody {
    fn read<'a>(&'a self, _: &'a str, _: &'a str) -> Later<'a, Result<Reply<String>, String>> {
        Box::pin(async { Err(String::new()) })
    }
}

fn all(fixture: &Fixture) -> Vec<Box<dyn Tool>> {
    let (context, shells) = (&fixture.context, &fixture.shells);
    let tasks = Arc::new(Tasks::new(None));
    let settings = WebSettings {
        scope: FetchScope::Public,
        resolver: Box::new(SystemResolver),
        user_agent: "test".to_owned(),
        trusted: Vec::new(),
        time: Duration::from_secs(1),
    };
    vec![
        Box::new(Read::new(context.clone())),
        Box::new(Write::new(context.clone())),
        Box::new(Edit::new(context.clone())),
        Box::new(NotebookEdit::new(context.clone())),
        Box::new(Glob::new(context.clone())),
        Box::new(Grep::new(context.clone())),
        Box::new(Bash::new(context.clone(), shells.clone())),
        Box::new(TaskOutput::new(shells.clone(), Arc::default())),
        Box::new(TaskStop::new(shells.clone(), Arc::default())),
        Box::new(SendMessage::new(Arc::default())),
        Box::new(TaskCreate::new(tasks.clone())),
        Box::new(TaskUpdate::new(tasks.clone())),
        Box::new(TaskGet::new(tasks)),
        Box::new(TodoWrite::new(Arc::new(Todos::new(Vec::new(), Box::new(()))))),
        Box::new(ExitPlanMode),
        Box::new(AgentTool::new(Box::new(Nobody))),
        Box::new(WebSearch::new(Box::new(Nobody), Arc::default())),
        Box::new(WebFetch::new(settings, Box::new(Nobody))),
    ]
}

#[tokio::test]
async fn every_definition_is_sound() {
    let fixture = Fixture::new();
    let mut names = BTreeSet::new();
    for tool in all(&fixture) {
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
    assert_eq!(names.len(), 18);
}

#[tokio::test]
async fn an_empty_input_is_refused_by_the_call_and_by_the_run() {
    let fixture = Fixture::new();
    for tool in all(&fixture) {
        let name = tool.spec().name;
        assert!(tool.call(&Fields::scan(b"{}").unwrap().0).is_err(), "{name}");
        let outcome = run(tool.as_ref(), &[]).await;
        assert!(outcome.is_error && shown(&outcome).starts_with("<tool_use_error>"), "{name}");
    }
}
