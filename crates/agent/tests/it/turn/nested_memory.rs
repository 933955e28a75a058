//! Memory files in turns: those of folders below and rules apply once a file is used, and all are read again after a compaction.

use std::path::Path;
use std::sync::{Arc, Mutex};

use annals_agent::api::client::Client;
use annals_agent::context::{Environment, Memory, MemorySource, SystemPrompt};
use annals_agent::conversation::{ConversationStart, Persistence};
use annals_agent::hooks::{HookEvent, Hooks};
use annals_agent::protocol::{Command, Commands};
use annals_agent::turn::Agent;
use annals_json::Value;
use annals_store::session::NewSession;

use super::hooked::{Answering, registered};
use super::{Stage, say};
use crate::api::Still;

const READS: &str = r#"[{"type":"tool_use","name":"Read","input":{"file_path":"sub/deep/b.rs"}}],[{"type":"tool_use","name":"Read","input":{"file_path":"sub/a.txt"}}],[{"type":"text","text":"fine"}]"#;
const READS_AGAIN: &str = r#"[{"type":"tool_use","name":"Read","input":{"file_path":"sub/deep/b.rs"}}],[{"type":"text","text":"fine"}]"#;
const SUMMARY: &str = r#"[{"type":"text","text":"summed up"}]"#;

impl Stage {
    fn write_files(&self) {
        for (name, text) in [
            ("CLAUDE.md", "top @extra.md"),
            ("extra.md", "extra"),
            ("sub/CLAUDE.md", "sub @imp.md @../secret/x.md"),
            ("sub/imp.md", "imported"),
            ("sub/CLAUDE.local.md", "local"),
            ("sub/.claude/rules/n.md", "nested rule"),
            ("sub/deep/CLAUDE.md", "deep"),
            ("sub/deep/b.rs", "fn b() {}"),
            ("sub/a.txt", "alpha"),
            ("other/CLAUDE.md", "elsewhere"),
            (".claude/rules/always.md", "always"),
            (".claude/rules/rs.md", "---\npaths: \"**/*.rs\"\n---\nfor rust\n"),
            (".claude/rules/py.md", "---\npaths: \"**/*.py\"\n---\nfor python\n"),
        ] {
            let path = self.home.work_dir().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn with_memory(&self, start: ConversationStart) -> Agent<'_, Client, Still> {
        let mut agent = self.agent(start, Persistence::File);
        let work = self.home.work_dir();
        let environment = Environment {
            cwd: work.clone(),
            folders: vec![],
            git_branch: None,
            git: None,
            platform: "linux",
            day: "2026-01-31".into(),
        };
        let memory = Memory::read(MemorySource::of_folder(&work)).below(&work);
        let prompt = SystemPrompt { replacement: None, appended: None, environment, memory };
        agent.turn_config.system = prompt.blocks();
        agent.system_prompt = Some(prompt);
        agent
    }

    /// The files that the session has told the model of, as they are displayed.
    fn told_files(&self) -> Vec<String> {
        let file = std::fs::read_to_string(self.file()).unwrap();
        let shown = |line: &str| {
            let attachment = Value::parse(line.as_bytes()).unwrap().get("attachment")?;
            let text = |key: &str| attachment.get(key)?.text().map(|text| text.to_string());
            text("displayPath").filter(|_| text("type").as_deref() == Some("nested_memory"))
        };
        file.lines().filter_map(shown).collect()
    }

    fn last_system(&self) -> String {
        let requests = self.api.requests();
        let body = Value::parse(&requests.last().unwrap().body).unwrap();
        String::from_utf8_lossy(body.get("system").unwrap().raw()).into_owned()
    }
}

fn new() -> ConversationStart {
    ConversationStart::New(NewSession::default())
}

const TOLD: [&str; 6] = [
    "sub/CLAUDE.md",
    "sub/imp.md",
    "sub/CLAUDE.local.md",
    "sub/.claude/rules/n.md",
    "sub/deep/CLAUDE.md",
    ".claude/rules/rs.md",
];

#[tokio::test]
async fn files_of_folders_below_apply_once_a_file_there_is_used() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{READS}],"b":[{READS_AGAIN}]}}"#));
    stage.write_files();
    let mut agent = stage.with_memory(new());
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    assert_eq!(stage.told_files(), TOLD, "each once, outermost first");
    let sent = stage.sent();
    assert!(sent[1].iter().any(|message| message.contains("imported")), "{sent:#?}");
    assert!(!sent[0].iter().any(|message| message.contains("imported")));
    assert!(!stage.last_system().contains("elsewhere") && stage.last_system().contains("extra"));
    drop(agent);
    stage.holds();
    // What a resumed session has told is not told again.
    let mut agent = stage.with_memory(ConversationStart::Resume(stage.file()));
    assert!(say(&mut agent, "and @@b@@").await.is_done());
    assert_eq!(stage.told_files(), TOLD);
    drop(agent);
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn without_trust_in_the_folder_nothing_below_it_applies() {
    let stage = Stage::new(READS);
    stage.write_files();
    let mut agent = stage.with_memory(new());
    if let Some(prompt) = &mut agent.system_prompt {
        prompt.memory = Memory::default();
    }
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    assert_eq!(stage.told_files(), [""; 0]);
}

#[tokio::test]
async fn after_a_compaction_all_are_read_again_and_hooks_are_told() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{READS},{SUMMARY}],"b":[{READS_AGAIN}]}}"#));
    stage.write_files();
    let told = Arc::<Mutex<Vec<String>>>::default();
    let mut agent = stage.with_memory(new());
    agent.hooks = Hooks::default();
    let handler = Answering { answer: Ok("{}"), told: Arc::clone(&told) };
    agent.hooks.register(registered(HookEvent::InstructionsLoaded, Arc::new(handler)));
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    let heard = std::mem::take(&mut *told.lock().unwrap());
    let top = Path::new(&stage.home.work_dir()).display().to_string();
    let reasons: Vec<String> = heard.iter().map(|told| summary(told, &top)).collect();
    assert_eq!(
        reasons,
        [
            "CLAUDE.md session_start",
            "extra.md include of CLAUDE.md",
            ".claude/rules/always.md session_start",
            "sub/CLAUDE.md nested_traversal for sub/deep/b.rs",
            "sub/imp.md include of sub/CLAUDE.md for sub/deep/b.rs",
            "sub/CLAUDE.local.md nested_traversal for sub/deep/b.rs",
            "sub/.claude/rules/n.md nested_traversal for sub/deep/b.rs",
            "sub/deep/CLAUDE.md nested_traversal for sub/deep/b.rs",
            ".claude/rules/rs.md path_glob_match for sub/deep/b.rs",
        ]
    );
    std::fs::write(stage.home.work_dir().join("CLAUDE.md"), "changed meanwhile").unwrap();
    let (_sender, mut commands) = Commands::channel();
    agent.handle(Command::Compact(None), &mut commands, &mut |_| {}).await;
    let heard = std::mem::take(&mut *told.lock().unwrap());
    let reasons: Vec<String> = heard.iter().map(|told| summary(told, &top)).collect();
    assert_eq!(reasons, ["CLAUDE.md compact", ".claude/rules/always.md compact"]);
    assert!(say(&mut agent, "and @@b@@").await.is_done());
    assert!(stage.last_system().contains("changed meanwhile"));
    assert_eq!(stage.told_files().len(), 2 * TOLD.len(), "the model has lost them");
}

/// What a hook was told, in short.
fn summary(told: &str, top: &str) -> String {
    let told = Value::parse(told.as_bytes()).unwrap();
    let path = |key: &str| {
        let path = told.get(key)?.text()?.to_string();
        Some(path.strip_prefix(top).unwrap_or(&path).trim_start_matches('/').to_owned())
    };
    let mut words = format!("{} {}", path("file_path").unwrap(), path("load_reason").unwrap());
    for (word, key) in [("of", "parent_file_path"), ("for", "trigger_file_path")] {
        if let Some(path) = path(key) {
            words.push_str(&format!(" {word} {path}"));
        }
    }
    words
}
