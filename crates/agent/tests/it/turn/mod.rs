//! Turns against the scripted API in a separate store; the invariants are checked after each.

mod agents;
mod approver;
mod background;
mod beside;
mod custom;
mod faults;
mod going_on;
mod holds;
mod hooked;
mod interrupts;
mod mentions;
mod nested_memory;
mod odd_files;
mod questions;
mod remembering;
mod rewind;
mod shell_lines;
mod showing;
mod skills;
mod summing_up;
mod summing_up_ranges;
mod tools;
mod torn;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::api::client::{Client, ClientSettings, Credential, Endpoint};
use annals_agent::api::request::{PromptCaching, Thinking, ThinkingDisplay, ToolSpec};
use annals_agent::api::retry::Backoff;
use annals_agent::conversation::{Conversation, ConversationStart, FileBackups, Persistence, StoreContext};
use annals_agent::protocol::{
    Approver, Command, Commands, Event, Prompt, ToolProgress, TurnConfig, TurnEnd, TurnReport,
};
use annals_agent::tools::{
    CallContext, CallOrder, Checkpoints, InputError, Outcome, Read, Tool, ToolContent, ToolContext as Files,
    ToolFuture, ToolRequest,
};
use annals_agent::turn::Agent;
use annals_json::Fields;
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::Rules;
use annals_policy::{Mode, Policy};
use annals_store::session::NewSession;
use annals_store::{ConfigDir, DataDir};
use annals_testkit::api::{Script, ScriptedApi};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::Still;

/// Nothing here takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);
const KEY: &str = "sk-planted-and-never-written";

/// A store, an API and all that an agent borrows.
struct Stage {
    home: Home,
    api: ScriptedApi,
    client: Client,
    config: ConfigDir,
    data: DataDir,
    source: CountingSource,
    rules: Rules,
    workspace: Workspace,
    /// What the tools did, in order.
    done: Arc<Mutex<Vec<String>>>,
}

/// What came of a turn.
struct TurnResult {
    finished: TurnReport,
    events: Vec<Event>,
}

impl Stage {
    /// An API that plays the steps of one script, named `a`.
    fn new(steps: &str) -> Self {
        Self::scripts(&format!(r#"{{"a":[{steps}]}}"#))
    }

    fn scripts(script: &str) -> Self {
        Self::in_home(Home::new(), script)
    }

    fn in_home(home: Home, script: &str) -> Self {
        let api = ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap();
        let client = Client::new(ClientSettings {
            endpoint: Endpoint::parse(&api.url()).unwrap(),
            credential: Credential::key(KEY).unwrap(),
            user_agent: "annals-test/1".into(),
            headers: vec![],
            proxy: None,
            trusted: vec![],
            connect_timeout: Duration::from_secs(20),
        })
        .unwrap();
        let rules = Rules::default();
        let workspace = Workspace::new(&Disk, &home.work_dir(), &home.work_dir(), Some(home.path()));
        Self {
            config: ConfigDir::new(home.config_dir()),
            data: DataDir::new(home.data_dir()),
            source: CountingSource::default(),
            home,
            api,
            client,
            rules,
            workspace,
            done: Arc::default(),
        }
    }

    fn store(&self) -> StoreContext<'_> {
        StoreContext { config: &self.config, data: &self.data, source: &self.source }
    }

    fn caller(&self) -> Caller<'_, Client, Still> {
        let backoff = Backoff {
            first_pause: Duration::ZERO,
            max_retry_after: Duration::from_millis(1),
            ..Backoff::default()
        };
        let retry = RetryOptions { backoff, ..RetryOptions::default() };
        Caller { transport: &self.client, clock: &Still, retry }
    }

    /// Tools that do what they are told, and keep copies in a session; and the one that reads.
    fn tools(&self, backups: &FileBackups) -> Vec<Box<dyn Tool>> {
        let tool = |name: &'static str, order| {
            let (done, backups) = (Arc::clone(&self.done), backups.clone());
            Box::new(Fake { name, order, done, backups }) as Box<dyn Tool>
        };
        let workspace = Workspace::new(&Disk, &self.home.work_dir(), &self.home.work_dir(), None);
        vec![
            tool("Peek", CallOrder::Parallel),
            tool("Change", CallOrder::Sequential),
            tool("Forbidden", CallOrder::Sequential),
            tool("Bash", CallOrder::Sequential),
            Box::new(Read::new(Arc::new(Files::new(workspace, Box::new(()), Box::new(()))))),
        ]
    }

    fn agent(&self, start: ConversationStart, persistence: Persistence) -> Agent<'_, Client, Still> {
        let conversation =
            Conversation::open(self.store(), start, &self.home.work_dir(), persistence).unwrap();
        let tools = self.tools(&conversation.backups());
        let caller = self.caller();
        let policy =
            Policy { rules: &self.rules, mode: Mode::Default, workspace: &self.workspace, files: &Disk };
        let turn_config = TurnConfig {
            model: "claude-opus-4-8".into(),
            max_tokens: 8000,
            system: vec!["be brief".into()],
            thinking: Thinking::On { budget: 4000, display: ThinkingDisplay::Default },
            effort: None,
            betas: Vec::new(),
            caching: PromptCaching::Minutes,
            max_responses: None,
            approver: Approver::Nobody,
            compact_at: Some(90),
        };
        Agent::new(conversation, caller, tools, policy, turn_config)
    }

    fn new_agent(&self) -> Agent<'_, Client, Still> {
        self.agent(ConversationStart::New(NewSession::default()), Persistence::File)
    }

    fn resumed(&self) -> Agent<'_, Client, Still> {
        self.agent(ConversationStart::Resume(self.file()), Persistence::File)
    }

    /// The one session of the store.
    fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files.into_iter().next().unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let projects = std::fs::read_dir(self.config.projects()).into_iter().flatten().flatten();
        let files = projects.flat_map(|project| std::fs::read_dir(project.path()).into_iter().flatten());
        files.flatten().map(|file| file.path()).filter(|path| path.is_file()).collect()
    }

    /// A whole turn of a new session, and what must hold after it.
    async fn turn(&self) -> TurnResult {
        let mut agent = self.new_agent();
        let told = say(&mut agent, "do @@a@@").await;
        drop(agent);
        self.holds();
        told
    }

    fn done(&self) -> Vec<String> {
        std::mem::take(&mut self.done.lock().unwrap())
    }
}

async fn say(agent: &mut Agent<'_, Client, Still>, words: &str) -> TurnResult {
    let (_sender, mut commands) = Commands::channel();
    say_with(agent, words, &mut commands, |_| {}).await
}

/// Says something; `watch` sees every event while it happens.
async fn say_with(
    agent: &mut Agent<'_, Client, Still>,
    words: &str,
    commands: &mut Commands,
    mut watch: impl FnMut(&Event) + Send,
) -> TurnResult {
    let mut events = Vec::new();
    let mut report = |event: Event| {
        watch(&event);
        events.push(event);
    };
    let command = Command::Prompt(Prompt::Text(words.to_owned()));
    let turn = agent.handle(command, commands, &mut report);
    let finished = tokio::time::timeout(HANGS, turn).await.expect("it hangs").expect("a prompt is a turn");
    TurnResult { finished, events }
}

/// Interrupts when something happens, once.
fn interrupting(
    sender: UnboundedSender<Command>,
    when: impl Fn(&Event) -> bool + Send,
) -> impl FnMut(&Event) + Send {
    let mut is_done = false;
    move |event| {
        if !is_done && when(event) {
            is_done = true;
            sender.send(Command::Interrupt).unwrap();
        }
    }
}

impl TurnResult {
    fn notices(&self) -> Vec<String> {
        let notices = self.events.iter().filter_map(|event| match event {
            Event::Notice(notice) => Some(notice.to_string()),
            _ => None,
        });
        notices.collect()
    }

    fn is_done(&self) -> bool {
        self.finished.ending == TurnEnd::Done
    }
}

/// A tool that notes what it is asked. `{"wait":true}` never ends; `{"say":"x"}` answers so; `{"fail":"x"}` fails;
/// `{"change":"/path"}` writes what it says there.
struct Fake {
    name: &'static str,
    order: CallOrder,
    done: Arc<Mutex<Vec<String>>>,
    backups: FileBackups,
}

impl Tool for Fake {
    fn spec(&self) -> ToolSpec {
        let json =
            format!(r#"{{"name":"{}","description":"d","input_schema":{{"type":"object"}}}}"#, self.name);
        ToolSpec { name: self.name.into(), json: json.into_bytes() }
    }

    fn order(&self) -> CallOrder {
        self.order
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        match input.get("bad") {
            Some(_) => Err(InputError("bad must not be given".into())),
            // No rule opens the web here.
            None if self.name == "Forbidden" => Ok(ToolRequest::WebSearch),
            None => Ok(ToolRequest::Inward(self.name)),
        }
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            let input = annals_json::Value::parse(input).unwrap().fields().unwrap();
            let text = |key: &str| input.text(key).map(|text| text.to_string());
            let said = text("say").or(text("fail")).unwrap_or_default();
            (scene.tell)(ToolProgress::Output { new: "x".into(), whole: "x".into(), lines: 1, millis: 2000 });
            self.done.lock().unwrap().push(format!("begin {said}"));
            if input.is_true("wait") {
                std::future::pending::<()>().await;
            }
            if let Some(path) = text("change") {
                self.backups.before_change(path.as_ref()).unwrap();
                std::fs::write(path, &said).unwrap();
            }
            tokio::task::yield_now().await;
            self.done.lock().unwrap().push(format!("end {said}"));
            let is_error = input.get("fail").is_some();
            let kept = format!(r#"{{"said":"{said}"}}"#).into_bytes();
            Outcome { shown: ToolContent::Text(said), is_error, kept, ..Outcome::default() }
        })
    }
}
