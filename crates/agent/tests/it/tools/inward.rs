//! Tools completed by the caller: todo lists, plans, sub-agents, searches.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use annals_agent::tools::agent::{AgentResult, AgentTask, AgentType, SpawnError, SpawnFuture, Spawner};
use annals_agent::tools::todo::{TodoStore, Todos};
use annals_agent::tools::web_search::{Query, SearchPart, Searcher};
use annals_agent::tools::{
    AgentTool, CallContext, ExitPlanMode, Reply, TodoWrite, Tool, ToolContent, ToolRequest, WebSearch,
};
use annals_json::{Fields, Value};
use annals_store::todos::TodoItem;

use super::{Raw, Text, input, kept, kept_text, knows, refused, run, shape, shown};

/// Keeps what it is told, but not a list of three.
struct Keeper(Arc<Mutex<Vec<usize>>>);

impl TodoStore for Keeper {
    fn keep(&self, items: &[TodoItem]) -> Result<(), String> {
        self.0.lock().unwrap().push(items.len());
        if items.len() == 3 { Err("the disk is full".to_owned()) } else { Ok(()) }
    }
}

#[tokio::test]
async fn a_list_is_replaced_as_a_whole() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let todos = Arc::new(Todos::new(Vec::new(), Box::new(Keeper(told.clone()))));
    let tool = TodoWrite::new(todos.clone());
    let first = r#"[{"content":"A \"b\"","status":"pending","activeForm":"Doing A"}]"#;
    let outcome = run(&tool, &[("todos", Raw(first))]).await;
    assert_eq!(shape(&outcome), "TodoWrite");
    assert_eq!(outcome.kept, format!(r#"{{"oldTodos":[],"newTodos":{first}}}"#).into_bytes());
    let second = r#"[{"content":"B","status":"completed","activeForm":"Doing B"},{"content":"C","status":"in_progress","activeForm":"Doing C"}]"#;
    let outcome = run(&tool, &[("todos", Raw(second))]).await;
    assert_eq!(outcome.kept, format!(r#"{{"oldTodos":{first},"newTodos":{second}}}"#).into_bytes());
    let item = r#"{"content":"x","status":"pending","activeForm":"x"}"#;
    let outcome = run(&tool, &[("todos", Raw(&format!("[{item},{item},{item}]")))]).await;
    refused(&outcome, "the disk is full");
    assert_eq!(todos.items().len(), 2, "a list that was not kept is the list");
    assert_eq!(*told.lock().unwrap(), [1, 2, 3]);
    for (wrong, words) in [
        (r#"[{"content":"","status":"pending"}]"#, "`content` is empty"),
        (r#"[{"content":"x","status":"soon"}]"#, "`status` is"),
        (r#""x""#, "must be a list"),
        ("null", "is missing"),
    ] {
        refused(&run(&tool, &[("todos", Raw(wrong))]).await, words);
    }
}

#[tokio::test]
async fn a_plan_that_runs_was_approved() {
    let outcome = run(&ExitPlanMode, &[("plan", Text("1. do"))]).await;
    assert_eq!(
        (shape(&outcome), outcome.kept.as_slice()),
        ("ExitPlanMode", &br#"{"plan":"1. do","isAgent":false}"#[..])
    );
    refused(&run(&ExitPlanMode, &[]).await, "`plan` is missing");
    assert_eq!(ExitPlanMode.call(&Fields::scan(br#"{"plan":"x"}"#).unwrap().0), Ok(ToolRequest::Plan));
}

/// Answers with its prompt, or fails.
struct Echo;

impl Spawner for Echo {
    fn types(&self) -> Vec<AgentType> {
        ["general-purpose", "explore"]
            .map(|name| AgentType { name: name.to_owned(), about: "A.".to_owned() })
            .to_vec()
    }

    fn spawn<'a>(&'a self, task: &'a AgentTask, _: &'a CallContext<'a>) -> SpawnFuture<'a> {
        Box::pin(async move {
            if task.prompt == "fail" {
                return Err(SpawnError::Failed("too deep".to_owned()));
            }
            Ok(AgentResult {
                agent: "a1b2c3d".to_owned(),
                answer: if task.prompt == "long" { "x".repeat(40_000) } else { format!("{}!", task.prompt) },
                millis: 5,
                tokens: 70,
                tool_uses: 3,
                usage: br#"{"input_tokens":1}"#.to_vec(),
            })
        })
    }
}

#[tokio::test]
async fn an_agent_is_sent_and_answers() {
    let tool = AgentTool::new(Box::new(Echo));
    let ask = |prompt: &'static str, kind: &'static str| {
        [("description", Text("a task")), ("prompt", Text(prompt)), ("subagent_type", Text(kind))]
    };
    let outcome = run(&tool, &ask("find", "explore")).await;
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("no blocks") };
    assert_eq!(blocks[0], br#"{"type":"text","text":"find!"}"#);
    assert!(String::from_utf8_lossy(&blocks[1]).contains("agentId: a1b2c3d"));
    assert_eq!((shape(&outcome), kept_text(&outcome, "agentType").as_str()), ("Agent", "explore"));
    knows(
        &outcome,
        &[
            "status",
            "prompt",
            "agentId",
            "agentType",
            "content",
            "totalDurationMs",
            "totalTokens",
            "totalToolUseCount",
            "usage",
        ],
    );
    let outcome = run(&tool, &ask("long", "explore")).await;
    let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("no blocks") };
    assert!(blocks[0].len() < 33_000 && outcome.kept.len() > 40_000);
    let outcome = run(&tool, &ask("fail", "explore")).await;
    assert!(outcome.is_error && shown(&outcome).contains("too deep"));
    refused(&run(&tool, &ask("x", "wizard")).await, "Available: general-purpose, explore.");
    refused(&run(&tool, &ask("", "explore")).await, "`prompt` is empty");
    let input = input(&ask("x", ""));
    assert_eq!(
        tool.call(&Fields::scan(&input).unwrap().0),
        Ok(ToolRequest::Agent("general-purpose".to_owned()))
    );
}

/// Finds one page.
struct Finds;

impl Searcher for Finds {
    fn search<'a>(
        &'a self,
        query: &'a Query,
    ) -> Pin<Box<dyn Future<Output = Result<Reply<Vec<SearchPart>>, String>> + Send + 'a>> {
        Box::pin(async move {
            let page = ("A \"title\"".to_owned(), "https://example.com/".to_owned());
            let said = match query.words.as_str() {
                "nothing" => Vec::new(),
                "broken" => return Err("the API is down".to_owned()),
                _ => vec![
                    SearchPart::Pages { tool_use: "srvtoolu_1".to_owned(), pages: vec![page] },
                    SearchPart::Text("It says so.".to_owned()),
                ],
            };
            Ok(Reply { said, model: "m".to_owned(), usage: Default::default() })
        })
    }
}

#[tokio::test]
async fn a_search_is_made_and_kept() {
    let tool = WebSearch::new(Box::new(Finds), Arc::default());
    let outcome = run(&tool, &[("query", Text("rust"))]).await;
    assert_eq!(shape(&outcome), "WebSearch");
    assert!(
        shown(&outcome).contains("- A \"title\": https://example.com/")
            && shown(&outcome).contains("It says so.")
    );
    let results = kept(&outcome).get("results").unwrap();
    assert_eq!(
        results.raw(),
        br#"[{"tool_use_id":"srvtoolu_1","content":[{"title":"A \"title\"","url":"https://example.com/"}]},"It says so."]"#
    );
    knows(&outcome, &["query", "results", "durationSeconds", "searchCount"]);
    assert!(shown(&run(&tool, &[("query", Text("nothing"))]).await).contains("No results"));
    assert!(run(&tool, &[("query", Text("broken"))]).await.is_error);
    let both =
        [("query", Text("x")), ("allowed_domains", Raw(r#"["a"]"#)), ("blocked_domains", Raw(r#"["b"]"#))];
    refused(&run(&tool, &both).await, "not both");
    refused(&run(&tool, &[("query", Text("x")), ("allowed_domains", Raw("[1]"))]).await, "list of strings");
}

#[tokio::test]
async fn searches_have_an_end() {
    let tool = WebSearch::new(Box::new(Finds), Arc::default());
    for _ in 0..200 {
        assert!(!run(&tool, &[("query", Text("x"))]).await.is_error);
    }
    refused(&run(&tool, &[("query", Text("x"))]).await, "200 searches");
}

#[test]
fn the_server_is_told_where_to_search() {
    let query = Query { words: "x".to_owned(), allowed: vec!["a.org".to_owned()], blocked: Vec::new() };
    let json = query.server_tool().json;
    let tool = Value::parse(&json).unwrap();
    assert!(tool.get("type").unwrap().text().unwrap().is("web_search_20250305"));
    assert_eq!(tool.get("allowed_domains").unwrap().raw(), br#"["a.org"]"#);
    assert!(tool.get("blocked_domains").is_none());
}
