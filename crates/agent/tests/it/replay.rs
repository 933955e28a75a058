//! Replayed sessions: all their content is shown, the requests match their history, and there are no side effects.

use std::path::Path;
use std::sync::Mutex;

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::api::failure::Failure;
use annals_agent::api::request::{PromptCaching, RequestBody, Thinking};
use annals_agent::api::transport::{ResponseStream, Transport};
use annals_agent::conversation::{Conversation, ConversationStart, Persistence, StoreContext};
use annals_agent::protocol::{Approver, Command, Commands, Event, Prompt, TurnConfig, TurnEnd};
use annals_agent::replay::{Pace, Player, Recording, tools};
use annals_agent::turn::Agent;
use annals_demo::Plan;
use annals_json::Value;
use annals_policy::paths::{Disk, Workspace};
use annals_policy::rules::Rules;
use annals_policy::{Mode, Policy};
use annals_store::session::{NewSession, path_to};
use annals_store::{ConfigDir, DataDir, Store};
use annals_testkit::api::{Rule, validate};
use annals_testkit::corpus;
use annals_testkit::depth::{at_least, max_file_bytes};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::tree::tree;
use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

use crate::api::Still;

/// Passes everything on, and keeps what would have been sent.
struct Listening {
    player: Player,
    bodies: Mutex<Vec<Vec<u8>>>,
}

impl Transport for Listening {
    type Source = <Player as Transport>::Source;

    async fn send(&self, body: &RequestBody) -> Result<ResponseStream<Self::Source>, Failure> {
        self.bodies.lock().unwrap().push(body.bytes.clone());
        self.player.send(body).await
    }
}

/// What came of it.
struct Played {
    texts: Vec<String>,
    bodies: Vec<Vec<u8>>,
    turns: usize,
}

async fn play(bytes: &[u8], path: &Path) -> Option<Played> {
    let recording = Recording::of(bytes, path).ok()?;
    let home = Home::new();
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let (source, rules) = (CountingSource::default(), Rules::default());
    let workspace = Workspace::new(&Disk, &home.work_dir(), &home.work_dir(), None);
    let store = StoreContext { config: &config, data: &data, source: &source };
    let new = ConversationStart::New(NewSession::default());
    let conversation = Conversation::open(store, new, &home.work_dir(), Persistence::Memory).unwrap();
    let transport = Listening { player: Player::new(Pace::AtOnce), bodies: Mutex::default() };
    let caller = Caller { transport: &transport, clock: &Still, retry: RetryOptions::default() };
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &workspace, files: &Disk };
    let turn_config = TurnConfig {
        model: "claude-opus-4-8".into(),
        max_tokens: 9,
        system: Vec::new(),
        thinking: Thinking::Off,
        effort: None,
        betas: Vec::new(),
        caching: PromptCaching::Off,
        max_responses: None,
        approver: Approver::Nobody,
        compact_at: None,
    };
    let before = tree(home.path());
    let mut agent = Agent::new(conversation, caller, tools(&recording), policy, turn_config);
    let (_sender, mut commands) = Commands::channel();
    let mut texts = Vec::new();
    for turn in &recording.turns {
        transport.player.begin(turn);
        let prompt = turn.prompt.clone().unwrap_or(Prompt::Text("(it goes on)".into()));
        let mut report = |event: Event| {
            assert!(
                !matches!(event, Event::Denied(_) | Event::PermissionRequested(_) | Event::Retrying(_)),
                "{event:?}"
            );
            let Event::Replied(line) = event else { return };
            let message = Value::parse(&line.message).unwrap();
            for block in message.get("content").unwrap().items() {
                if block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("text")) {
                    texts.push(block.get("text").unwrap().text().unwrap().to_string());
                }
            }
        };
        let finished = agent.handle(Command::Prompt(prompt), &mut commands, &mut report).await.unwrap();
        assert!(matches!(finished.ending, TurnEnd::Done), "{}: {:?}", path.display(), finished.ending);
    }
    drop(agent);
    assert_eq!(tree(home.path()), before, "nothing is written");
    let bodies = transport.bodies.into_inner().unwrap();
    Some(Played { texts, bodies, turns: recording.turns.len() })
}

/// The texts of the model on the way to the end, and the prompts.
fn expected(bytes: &[u8], path: &Path) -> Vec<String> {
    let transcript = Transcript::parse(bytes);
    let mut texts = Vec::new();
    for node in path_to(&transcript, None, path).unwrap() {
        let Record::Assistant(assistant) = transcript.record(node) else { continue };
        for block in assistant.content().blocks().filter(|_| !assistant.is_synthetic()) {
            if let Block::Text(text) = block {
                texts.extend(text.text().map(|text| text.to_string()).filter(|text| !text.is_empty()));
            }
        }
    }
    texts
}

/// What a body says, but for what real signatures and images would be refused for here.
fn is_sound(body: &[u8]) -> Result<(), String> {
    let waived = [Rule::ThinkingUnchanged, Rule::RedactedUnchanged, Rule::ImageDecodes, Rule::ImageKindKnown];
    let broken: Vec<_> = validate(body).into_iter().filter(|broken| !waived.contains(&broken.rule)).collect();
    if broken.is_empty() { Ok(()) } else { Err(format!("{broken:?}")) }
}

async fn holds(bytes: &[u8], path: &Path) -> Option<(usize, usize)> {
    let mut played = play(bytes, path).await?;
    let name = path.display();
    let mut wanted = expected(bytes, path);
    wanted.sort();
    played.texts.sort();
    // A text that stands twice in one response, on two lines, is one of them.
    wanted.dedup();
    played.texts.dedup();
    assert!(played.texts == wanted, "{name}: {} texts, not {}", played.texts.len(), wanted.len());
    for body in &played.bodies {
        assert_eq!(is_sound(body), Ok(()), "{name}");
    }
    // Each request begins with what the one before it said.
    let messages = |body: &[u8]| -> Vec<Vec<u8>> {
        let value = Value::parse(body).unwrap();
        value.get("messages").unwrap().items().map(|message| message.raw().to_vec()).collect()
    };
    for pair in played.bodies.windows(2) {
        let (before, after) = (messages(&pair[0]), messages(&pair[1]));
        assert!(after.len() >= before.len(), "{name}");
        assert!(before.iter().zip(&after).take(before.len() - 1).all(|(old, new)| old == new), "{name}");
    }
    Some((played.turns, wanted.len()))
}

#[tokio::test]
async fn the_demo_sessions_play_in_full() {
    let home = Home::new();
    home.fill(&Plan::default());
    let (mut sessions, mut texts) = (0, 0);
    for entry in &Store::open(home.config_dir()).discover().sessions {
        if let Some((_, said)) = holds(&std::fs::read(&entry.path).unwrap(), &entry.path).await {
            sessions += 1;
            texts += said;
        }
    }
    println!("{sessions} sessions, {texts} texts");
    assert!(sessions > 15 && texts > 100, "{sessions} {texts}");
}

#[tokio::test]
async fn real_sessions_play_in_full() {
    let Some(corpus) = corpus::or_skip("real_sessions_play_in_full") else { return };
    let (mut sessions, mut texts) = (0, 0);
    let most = max_file_bytes().min(3_000_000);
    for folder in corpus.config_dirs() {
        for entry in Store::open(&folder).discover().sessions.iter().filter(|entry| entry.bytes <= most) {
            if let Some((_, said)) = holds(&std::fs::read(&entry.path).unwrap(), &entry.path).await {
                sessions += 1;
                texts += said;
            }
        }
    }
    println!("{sessions} sessions, {texts} texts");
    assert!(sessions > 50 && texts > at_least(500, 200), "{sessions} {texts}");
}
