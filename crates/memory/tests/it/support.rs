//! A server over the store of a test's home.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use annals_index::Index;
use annals_json::{Value, object};
use annals_memory::{
    IndexQuestion, Memory, MemoryOptions, MemoryServer, MemoryStore, SessionEdit, ToolGroup,
};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::price::Prices;
use annals_transcript::redact::SecretRules;

/// The store of a home, and what was changed in it.
pub(crate) struct TestStore {
    index: Index,
    pub(crate) edits: RefCell<Vec<String>>,
    /// The commands that a team was asked, and its answer to all of them.
    pub(crate) team: Rc<RefCell<Vec<Vec<String>>>>,
    pub(crate) team_answer: Option<Vec<u8>>,
}

impl TestStore {
    pub(crate) fn new(home: &Home) -> Self {
        let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
        let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
        let go_on = |_| ControlFlow::Continue(());
        index.refresh(&store.discover(), &data, &Prices::embedded(), go_on).unwrap();
        Self { index, edits: RefCell::default(), team: Rc::default(), team_answer: None }
    }
}

impl MemoryStore for TestStore {
    fn ask(&self, question: &mut IndexQuestion<'_>) -> Result<(), String> {
        // A question may be asked again.
        let mut nowhere = |_: &str, _: &str| None;
        question(0, &self.index, &mut nowhere).map_err(|error| error.to_string())?;
        question(0, &self.index, &mut nowhere).map_err(|error| error.to_string())
    }

    fn end_call(&self) {}

    fn ask_team(&self, command: &[String]) -> Result<Vec<u8>, String> {
        self.team.borrow_mut().push(command.to_vec());
        self.team_answer.clone().ok_or_else(|| "the team does not answer".to_owned())
    }

    fn edit(&self, session: &str, edit: SessionEdit<'_>) -> Result<String, String> {
        self.edits.borrow_mut().push(format!("{session} {edit:?}"));
        Ok("Done.".to_owned())
    }
}

pub(crate) struct TestServer {
    pub(crate) server: MemoryServer<TestStore>,
    /// How many tools were called, and the tokens of their results.
    pub(crate) calls: usize,
    pub(crate) tokens: usize,
}

pub(crate) fn memory(home: &Home, project: Option<&str>, session: Option<&str>) -> Memory<TestStore> {
    memory_of(TestStore::new(home), project, session)
}

pub(crate) fn memory_of(store: TestStore, project: Option<&str>, session: Option<&str>) -> Memory<TestStore> {
    let options = MemoryOptions {
        project: project.map(PathBuf::from),
        session: session.map(str::to_owned),
        rules: SecretRules::new(&[], &[]).unwrap(),
        source: Arc::new(CountingSource::from(1_795_000_000_000)),
    };
    Memory::new(store, options)
}

impl TestServer {
    pub(crate) fn new(home: &Home, project: Option<&str>, session: Option<&str>) -> Self {
        Self::with(memory(home, project, session), &[])
    }

    pub(crate) fn with(memory: Memory<TestStore>, groups: &[ToolGroup]) -> Self {
        Self { server: MemoryServer::new(memory, groups, "1.2.3"), calls: 0, tokens: 0 }
    }

    /// The text of a tool's result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &str) -> String {
        let (text, is_error) = self.answer(tool, arguments);
        assert!(!is_error, "{tool} {arguments}: {text}");
        text
    }

    /// The text, and whether it is an error.
    pub(crate) fn answer(&mut self, tool: &str, arguments: &str) -> (String, bool) {
        let request = object(|request| {
            request.string("jsonrpc", "2.0").number("id", 1u64).string("method", "tools/call");
            request.object("params", |params| {
                params.string("name", tool).raw("arguments", arguments.as_bytes());
            });
        });
        let answers = self.server.take(&request);
        assert_eq!(answers.len(), 1);
        let answer = Value::parse(&answers[0]).unwrap();
        let result =
            answer.get("result").unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&answers[0])));
        let block = result.get("content").unwrap().items().next().unwrap();
        let text = block.get("text").unwrap().text().unwrap().to_string();
        self.calls += 1;
        self.tokens += annals_memory::estimated_tokens(&text);
        (text, result.get("isError").unwrap().boolean().unwrap())
    }
}

/// Writes a text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    annals_json::write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}
