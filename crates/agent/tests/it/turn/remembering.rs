//! What a resumed session knows: files that were read, how full the window is, whose thinking it is.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use annals_agent::api::client::Client;
use annals_agent::conversation::{ConversationStart, Persistence};
use annals_agent::protocol::{Command, Commands, Event, TurnEnd};
use annals_agent::tools::bash::{ShellSettings, Shells, for_commands};
use annals_agent::tools::{Bash, Edit, Read, Tool, ToolContext, Write};
use annals_agent::turn::Agent;
use annals_json::Value;
use annals_policy::Mode;
use annals_policy::paths::{Disk, Workspace};
use annals_store::session::NewSession;
use annals_testkit::home::Home;

use super::{Stage, say};
use crate::api::Still;

pub(super) const END: &str = r#"[{"type":"text","text":"fine"}]"#;

pub(super) fn call(tool: &str, input: &str) -> String {
    format!(r#"[{{"type":"tool_use","name":"{tool}","input":{{{input}}}}}]"#)
}

fn edit(old: &str, new: &str) -> String {
    call("Edit", &format!(r#""file_path":"a.txt","old_string":"{old}","new_string":"{new}""#))
}

impl Stage {
    /// The tools of the client itself.
    fn real_tools(&self) -> Vec<Box<dyn Tool>> {
        let work = self.home.work_dir();
        let workspace = Workspace::new(&Disk, &work, &work, Some(self.home.path()));
        let context = Arc::new(ToolContext::new(workspace, Box::new(()), Box::new(())));
        let path = std::env::var_os("PATH").unwrap();
        let environment = for_commands(&[(OsString::from("PATH"), path)]);
        let mark = self.home.path().display().to_string();
        let settings = ShellSettings::usual(self.home.data_dir().join("scratch"), None, environment, mark);
        let shells = Arc::new(Shells::new(settings));
        vec![
            Box::new(Read::new(Arc::clone(&context))),
            Box::new(Write::new(Arc::clone(&context))),
            Box::new(Edit::new(Arc::clone(&context))),
            Box::new(Bash::new(context, shells)),
        ]
    }

    fn real_agent(&self, start: ConversationStart) -> Agent<'_, Client, Still> {
        let mut agent = self.agent(start, Persistence::File);
        agent.tools = self.real_tools();
        agent.policy.mode = Mode::Bypass;
        agent
    }

    pub(super) fn new_real_agent(&self) -> Agent<'_, Client, Still> {
        self.real_agent(ConversationStart::New(NewSession::default()))
    }

    fn resumed_real_agent(&self) -> Agent<'_, Client, Still> {
        self.real_agent(ConversationStart::Resume(self.file()))
    }

    fn work_file(&self) -> PathBuf {
        self.home.work_dir().join("a.txt")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.work_file()).unwrap()
    }

    /// The fields of the lines of the session that have all of them, as texts.
    fn lines_with<const N: usize>(&self, keys: [&str; N]) -> Vec<[String; N]> {
        let bytes = std::fs::read(self.file()).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| Value::parse(line).ok());
        let text = |line: Value<'_>, key: &str| line.get(key)?.text().map(|text| text.to_string());
        let all = |line: Value<'_>| keys.map(|key| text(line, key));
        lines
            .map(all)
            .filter(|all| all.iter().all(Option::is_some))
            .map(|all| all.map(Option::unwrap))
            .collect()
    }
}

#[tokio::test]
async fn what_a_session_has_read_it_may_edit_after_a_resume() {
    let reads = [
        call("Read", r#""file_path":"a.txt""#),
        call("Read", r#""file_path":"a.txt","limit":1"#),
        call("Bash", r#""command":"cat a.txt""#),
        call("Bash", r#""command":"head -n 1 a.txt""#),
        call("Write", r#""file_path":"a.txt","content":"alpha\nomega\n""#),
    ];
    for read in reads {
        let stage = Stage::scripts(&format!(
            r#"{{"read":[{read},{END}],"edit":[{},{END}],"again":[{},{END}]}}"#,
            edit("alpha", "beta"),
            edit("beta", "gamma")
        ));
        if !read.contains("content") {
            std::fs::write(stage.work_file(), "alpha\nomega\n").unwrap();
        }
        let mut agent = stage.new_real_agent();
        assert!(say(&mut agent, "@@read@@").await.is_done());
        drop(agent);
        for (prompt, text) in [("@@edit@@", "beta\nomega\n"), ("@@again@@", "gamma\nomega\n")] {
            let mut agent = stage.resumed_real_agent();
            assert!(say(&mut agent, prompt).await.is_done());
            drop(agent);
            assert_eq!(stage.text(), text, "{read}");
        }
        stage.holds();
    }
}

#[tokio::test]
async fn what_has_changed_since_must_be_read_again() {
    let read = call("Read", r#""file_path":"a.txt""#);
    let stage = Stage::scripts(&format!(
        r#"{{"read":[{read},{END}],"edit":[{},{END}],"write":[{},{END}]}}"#,
        edit("alpha", "beta"),
        call("Write", r#""file_path":"a.txt","content":"new""#)
    ));
    std::fs::write(stage.work_file(), "alpha\nomega\n").unwrap();
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@read@@").await.is_done());
    drop(agent);
    std::fs::write(stage.work_file(), "alpha\nchanged\n").unwrap();
    for prompt in ["@@edit@@", "@@write@@"] {
        let mut agent = stage.resumed_real_agent();
        assert!(say(&mut agent, prompt).await.is_done());
        drop(agent);
        assert_eq!(stage.text(), "alpha\nchanged\n");
        let sent = stage.sent();
        assert!(sent.last().unwrap().last().unwrap().contains("modified since it was read"), "{sent:#?}");
    }
    // Another file of the folder was never read.
    std::fs::rename(stage.work_file(), stage.home.work_dir().join("b.txt")).unwrap();
    std::fs::write(stage.work_file(), "alpha\nomega\n").unwrap();
    let mut agent = stage.resumed_real_agent();
    assert!(say(&mut agent, "@@edit@@").await.is_done());
    assert_eq!(stage.text(), "beta\nomega\n", "the text that was read is back");
}

#[tokio::test]
async fn a_part_that_was_read_is_not_the_whole() {
    let part = call("Read", r#""file_path":"a.txt","offset":2,"limit":1"#);
    let write = call("Write", r#""file_path":"a.txt","content":"new""#);
    let stage = Stage::scripts(&format!(r#"{{"read":[{part},{END}],"write":[{write},{END}]}}"#));
    std::fs::write(stage.work_file(), "alpha\nomega\n").unwrap();
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@read@@").await.is_done());
    drop(agent);
    let mut agent = stage.resumed_real_agent();
    assert!(say(&mut agent, "@@write@@").await.is_done());
    assert_eq!(stage.text(), "alpha\nomega\n");
    assert!(stage.sent().last().unwrap().last().unwrap().contains("Only a part"));
}

#[tokio::test]
async fn a_command_that_prints_a_file_reads_it() {
    let cat = call("Bash", r#""command":"cat a.txt""#);
    let stage = Stage::new(&format!("{cat},{},{END}", edit("alpha", "beta")));
    std::fs::write(stage.work_file(), "alpha\n").unwrap();
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    assert_eq!(stage.text(), "beta\n");
}

#[tokio::test]
async fn what_was_rewound_is_no_longer_read() {
    let read = call("Read", r#""file_path":"a.txt""#);
    let stage = Stage::scripts(&format!(
        r#"{{"first":[{END}],"read":[{read},{END}],"edit":[{},{END}]}}"#,
        edit("alpha", "beta")
    ));
    std::fs::write(stage.work_file(), "alpha\n").unwrap();
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@first@@").await.is_done());
    let told = say(&mut agent, "@@read@@").await;
    agent.conversation.rewind_to(told.finished.prompt.as_deref().unwrap()).unwrap();
    assert!(say(&mut agent, "@@edit@@").await.is_done());
    assert_eq!(stage.text(), "alpha\n");
    assert!(stage.sent().last().unwrap().last().unwrap().contains("has not been read yet"));
}

const FULL: &str = r#"{"content":[{"type":"text","text":"hello"}],"usage":{"input_tokens":950000}}"#;
const SUMMARY: &str = r#"[{"type":"text","text":"they said hello"}]"#;

#[tokio::test]
async fn a_full_window_is_still_full_after_a_resume() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{FULL},{SUMMARY}],"b":[{END}]}}"#));
    assert!(stage.turn().await.is_done());
    let mut agent = stage.resumed();
    let told = say(&mut agent, "@@b@@").await;
    assert!(told.is_done());
    let compacted = told.events.iter().position(|event| matches!(event, Event::Compacted { .. }));
    let replied = told.events.iter().position(|event| matches!(event, Event::Replied(_)));
    assert!(compacted.is_some() && compacted < replied, "{:?}", told.events);
    assert_eq!(agent.context(), 30, "only the last response counts");
    drop(agent);
    stage.holds();
    assert!(std::fs::read_to_string(stage.file()).unwrap().contains(r#""preTokens":950020"#));
}

#[tokio::test]
async fn a_compaction_as_the_first_thing_knows_the_size() {
    let stage = Stage::new(&format!("{FULL},{SUMMARY}"));
    assert!(stage.turn().await.is_done());
    let mut agent = stage.resumed();
    let (_sender, mut commands) = Commands::channel();
    let report = agent.handle(Command::Compact(None), &mut commands, &mut |_| {}).await.unwrap();
    assert_eq!((report.ending, report.text.as_str()), (TurnEnd::Done, "Compacted"));
    drop(agent);
    stage.holds();
    let file = std::fs::read_to_string(stage.file()).unwrap();
    assert!(file.contains(r#""compactMetadata":{"trigger":"manual","preTokens":950020"#), "{file}");
    assert!(
        file.contains("<command-name>/compact</command-name>") && file.contains("Compacted</local-command")
    );
}

#[tokio::test]
async fn a_compaction_that_fails_says_so_once() {
    let stage = Stage::new("");
    let mut agent = stage.new_agent();
    let (_sender, mut commands) = Commands::channel();
    let mut events = Vec::new();
    let report = agent.handle(Command::Compact(None), &mut commands, &mut |event| events.push(event)).await;
    let TurnEnd::Failed(error) = report.unwrap().ending else { panic!("nothing to summarize") };
    assert_eq!(error.to_string(), "could not summarize the conversation: nothing to summarize");
    let [Event::Notice(notice)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(notice.to_string(), error.to_string(), "the same words, for those who only see one of them");
    assert!(stage.files().is_empty());
}

const THOUGHT: &str = r#"[{"type":"thinking","thinking":"deep"},{"type":"text","text":"one"}]"#;

#[tokio::test]
async fn a_model_gets_back_its_own_thinking_only() {
    let later = r#"[{"type":"thinking","thinking":"other"},{"type":"tool_use","name":"Peek","input":{}}]"#;
    let stage = Stage::scripts(&format!(r#"{{"a":[{THOUGHT}],"b":[{later},{END}],"c":[{END}]}}"#));
    assert!(stage.turn().await.is_done());
    // The same model by another spelling, and another one.
    for (model, thinks) in
        [("claude-opus-4-8[1m]", true), ("claude-opus-4-8-20260101", true), ("claude-sonnet-5-5", false)]
    {
        let mut agent = stage.resumed();
        agent.turn_config.model = model.into();
        assert!(say(&mut agent, "@@b@@").await.is_done());
        drop(agent);
        let sent = stage.sent();
        assert_eq!(sent.last().unwrap()[1].contains(r#""thinking":"deep""#), thinks, "{model}");
        // That of the turn itself goes back with its call.
        assert!(
            sent.last().unwrap().iter().rev().nth(1).unwrap().contains(r#""thinking":"other""#),
            "{sent:#?}"
        );
    }
    // Changed in the middle of a process.
    let mut agent = stage.resumed();
    agent.turn_config.model = "claude-sonnet-5-5".into();
    assert!(say(&mut agent, "@@c@@").await.is_done());
    let (_sender, mut commands) = Commands::channel();
    agent.handle(Command::SetModel("claude-haiku-5-5".into()), &mut commands, &mut |_| {}).await;
    assert!(say(&mut agent, "@@c@@").await.is_done());
    drop(agent);
    assert!(!stage.sent().last().unwrap().concat().contains(r#""thinking""#));
    stage.holds();
    assert!(
        std::fs::read_to_string(stage.file()).unwrap().contains(r#""thinking":"deep""#),
        "the file keeps it"
    );
}

#[tokio::test]
async fn lines_name_the_folder_and_the_branch_of_their_moment() {
    let home = Home::new();
    let (work, head) = (home.work_dir(), home.work_dir().join(".git/HEAD"));
    let branch = call("Change", &format!(r#""change":"{}","say":"ref: refs/heads/other""#, head.display()));
    let enter = call("Bash", r#""command":"mkdir -p sub && cd sub""#);
    let stage = Stage::in_home(home, &format!(r#"{{"a":[{enter},{branch},{END}],"b":[{END}]}}"#));
    std::fs::create_dir(work.join(".git")).unwrap();
    std::fs::write(&head, "ref: refs/heads/first").unwrap();
    let mut agent = stage.new_real_agent();
    let fakes = stage.tools(&agent.conversation.backups());
    agent.tools.extend(fakes.into_iter().filter(|tool| tool.spec().name == "Change"));
    assert!(say(&mut agent, "@@a@@").await.is_done());
    std::fs::write(&head, "ref: refs/heads/third").unwrap();
    assert!(say(&mut agent, "@@b@@").await.is_done());
    drop(agent);
    let mut lines = stage.lines_with(["type", "cwd", "gitBranch"]);
    lines.iter_mut().for_each(|[_, cwd, _]| *cwd = cwd.replace(&work.display().to_string(), "W"));
    let mut seen: Vec<_> = lines.iter().map(|[_, cwd, branch]| format!("{cwd} {branch}")).collect();
    seen.dedup();
    assert_eq!(seen, ["W first", "W/sub first", "W/sub other", "W/sub third"], "{lines:#?}");
    stage.holds();
}

#[tokio::test]
async fn prompts_name_the_permission_mode() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{END}]}}"#));
    let mut agent = stage.new_agent();
    say(&mut agent, "@@a@@").await;
    agent.policy.mode = Mode::Plan;
    say(&mut agent, "@@a@@").await;
    drop(agent);
    let modes = stage.lines_with(["type", "permissionMode"]);
    assert_eq!(modes.iter().map(|[_, mode]| mode.as_str()).collect::<Vec<_>>(), ["default", "plan"]);
    stage.only_grew();
}

#[tokio::test]
async fn open_calls_are_answered_even_if_somebody_looked_first() {
    let stage = Stage::new(&format!("{},{END}", call("Peek", r#""wait":true"#)));
    let mut agent = stage.new_agent();
    let (_sender, mut commands) = Commands::channel();
    let mut ignore = |_: Event| {};
    let turn = agent.handle(
        Command::Prompt(annals_agent::protocol::Prompt::Text("@@a@@".into())),
        &mut commands,
        &mut ignore,
    );
    // As if the process had been killed.
    assert!(tokio::time::timeout(std::time::Duration::from_millis(700), turn).await.is_err());
    drop(agent);
    let mut agent = stage.resumed();
    agent.conversation.messages().unwrap();
    assert!(say(&mut agent, "what now?").await.is_done());
    drop(agent);
    stage.holds();
    assert!(
        stage.sent().last().unwrap().concat().contains("tool_use_id"),
        "the call and its result are sent"
    );
}

#[tokio::test]
async fn a_response_that_stays_cut_is_a_failure() {
    let cut = r#"{"content":[{"type":"text","text":"w"}],"stop_reason":"max_tokens"}"#;
    let stage = Stage::new(&[cut; 4].join(","));
    let told = stage.turn().await;
    let TurnEnd::Failed(error) = &told.finished.ending else { panic!("{:?}", told.finished.ending) };
    assert!(error.to_string().contains("cut off at the token limit 4 times"), "{error}");
    assert!(std::fs::read_to_string(stage.file()).unwrap().contains(r#""isApiErrorMessage":true"#));
}

#[tokio::test]
async fn a_paused_response_goes_back_as_it_is() {
    let search = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}"#;
    for content in
        [format!(r#"{{"type":"text","text":"wait"}},{search}"#), r#"{"type":"text","text":"wait"}"#.into()]
    {
        let pause = format!(r#"{{"content":[{content}],"stop_reason":"pause_turn"}}"#);
        let stage = Stage::new(&format!("{pause},{END}"));
        let told = stage.turn().await;
        assert!(told.is_done(), "{:?}", told.finished.ending);
        let sent = stage.sent();
        assert!(sent.len() == 2 && sent[1][1].contains("wait"), "{sent:#?}");
        assert_eq!(sent[1][1].contains("server_tool_use"), content.contains("server_tool_use"));
    }
}

#[tokio::test]
async fn a_parameter_that_a_tool_does_not_have_is_an_error() {
    let read = call("Read", r#""file_path":"a.txt","encoding":"utf-16""#);
    let zero = call("Read", r#""file_path":"a.txt","limit":0"#);
    let habit = call("Bash", r#""command":"echo ran","dangerouslyDisableSandbox":true"#);
    let stage = Stage::new(&format!("{read},{zero},{habit},{END}"));
    std::fs::write(stage.work_file(), "alpha\n").unwrap();
    let mut agent = stage.new_real_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let sent = stage.sent();
    let answers: Vec<&String> = sent.iter().skip(1).map(|messages| messages.last().unwrap()).collect();
    assert!(answers[0].contains("unexpected parameter `encoding`"), "{answers:#?}");
    assert!(answers[1].contains("`limit` must be at least 1"), "{answers:#?}");
    assert!(answers[2].contains("ran") && !answers[2].contains("unexpected"), "{answers:#?}");
}
