//! Properties of any sequence of appended records: every client resumes the file, with the whole conversation.

use std::collections::{HashMap, HashSet};

use annals_json::{Fields, Value};
use annals_testkit::depth::cases;
use annals_transcript::content::Block;
use annals_transcript::draft::{
    CompactionTrigger, Continuation, Draft, Origin, PlacementDefaults, PlacementError, PromptContent,
    ResponseDefaults, ResponseDraft, ThreadKind, ToolOutcome, ToolResultDraft, drafts_from_message,
};
use annals_transcript::line::lines;
use annals_transcript::message::Message;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::resume::{Client, resume};
use annals_transcript::time::parse_millis;
use annals_transcript::transcript::Transcript;
use proptest::prelude::*;
use proptest::sample::Index;

/// One thing that a program appends.
#[derive(Clone, Debug)]
enum Step {
    Prompt,
    Meta,
    Response(usize),
    Answer(Index),
    Progress,
    Attachment,
    Turn,
    Command,
    Title,
    LastPrompt(Option<Index>),
    Compaction,
    Given(GivenPrompt),
    GivenAnswer(Index),
    GivenUnknown,
    Plain(String),
}

/// A prompt that another program made, with as much of its place as it likes.
#[derive(Clone, Debug)]
struct GivenPrompt {
    uuid: OwnId,
    parent: OwnParent,
    timestamp: OwnTime,
    is_sidechain: bool,
}

#[derive(Clone, Debug)]
enum OwnId {
    Nothing,
    Fresh,
    Taken(Index),
    Odd,
}

#[derive(Clone, Debug)]
enum OwnParent {
    Nothing,
    Null,
    Known(Index),
    Unknown,
}

#[derive(Clone, Debug)]
enum OwnTime {
    Nothing,
    Later,
    LastOfAll,
    NoTime,
}

fn given_prompt() -> impl Strategy<Value = GivenPrompt> {
    let uuid = prop_oneof![
        4 => Just(OwnId::Nothing),
        4 => Just(OwnId::Fresh),
        1 => any::<Index>().prop_map(OwnId::Taken),
        1 => Just(OwnId::Odd),
    ];
    let parent = prop_oneof![
        6 => Just(OwnParent::Nothing),
        1 => Just(OwnParent::Null),
        3 => any::<Index>().prop_map(OwnParent::Known),
        1 => Just(OwnParent::Unknown),
    ];
    let timestamp = prop_oneof![
        8 => Just(OwnTime::Nothing),
        2 => Just(OwnTime::Later),
        1 => Just(OwnTime::LastOfAll),
        1 => Just(OwnTime::NoTime),
    ];
    let is_sidechain = prop::bool::weighted(0.1);
    (uuid, parent, timestamp, is_sidechain).prop_map(|(uuid, parent, timestamp, is_sidechain)| GivenPrompt {
        uuid,
        parent,
        timestamp,
        is_sidechain,
    })
}

/// Metadata of a plain message: fields that nobody knows, and such as the line has of its own.
fn metadata() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "isMeta",
        "odd",
        "isSidechain",
        "type",
        "cwd",
        "uuid",
        "slug",
        "agentId",
        "message",
        "version",
        "logicalParentUuid",
        "sourceToolAssistantUUID",
        "parentUuid",
        "timestamp",
        "userType",
        "gitBranch",
    ]);
    let value = prop::sample::select(vec!["1", "false", "null", "\"x\"", "[ {} ]"]);
    prop::collection::vec((key, value), 0..4).prop_map(|fields| {
        let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\" : {value}")).collect();
        format!("{{{}}}", fields.join(","))
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Prompt),
        1 => Just(Step::Meta),
        4 => (0..4_usize).prop_map(Step::Response),
        4 => any::<Index>().prop_map(Step::Answer),
        2 => Just(Step::Progress),
        1 => Just(Step::Attachment),
        1 => Just(Step::Turn),
        1 => Just(Step::Command),
        1 => Just(Step::Title),
        1 => prop::option::of(any::<Index>()).prop_map(Step::LastPrompt),
        1 => Just(Step::Compaction),
        5 => given_prompt().prop_map(Step::Given),
        1 => any::<Index>().prop_map(Step::GivenAnswer),
        1 => Just(Step::GivenUnknown),
        2 => metadata().prop_map(Step::Plain),
    ]
}

fn origin() -> Origin {
    Origin {
        session: "s".into(),
        agent: None,
        cwd: "/w".into(),
        version: "2.1.112".into(),
        git_branch: "main".into(),
        entrypoint: Some("cli".into()),
        slug: Some("calm-rowing-fern".into()),
    }
}

/// A file in the making, and what a program remembers of it.
struct File {
    bytes: Vec<u8>,
    state: Continuation,
    ids: Vec<String>,
    calls: Vec<String>,
    /// A `last-prompt` names the line to go on from: the newest client stays on its branch, whatever is written to others.
    names_a_leaf: bool,
    /// Numbers everything that is made, and is the clock: it stands still at times.
    count: u32,
}

impl File {
    fn new() -> Self {
        let state = Continuation::new(ThreadKind::Main);
        Self { bytes: Vec::new(), state, ids: Vec::new(), calls: Vec::new(), names_a_leaf: false, count: 0 }
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    fn add(&mut self, draft: &Draft) -> Result<(), PlacementError> {
        let number = self.next();
        let fresh = PlacementDefaults {
            uuid: format!("00000000-0000-4000-8000-{number:012}"),
            now: 1_767_225_600_000 + i64::from(number / 5 % 4),
        };
        let before = self.state.tip().map(str::to_owned);
        let placement = self.state.place(draft, fresh).inspect_err(|_| {
            assert_eq!(self.state.tip(), before.as_deref(), "a refusal moved the tip");
        })?;
        let line = draft.line(&origin(), &placement);
        self.state.absorb(&Record::new(Fields::scan(&line).unwrap().0));
        self.bytes.extend_from_slice(&line);
        self.bytes.push(b'\n');
        if draft.kind().is_chain() {
            self.ids.push(placement.uuid);
        }
        Ok(())
    }

    fn pick(&self, at: &Index) -> Option<&str> {
        (!self.ids.is_empty()).then(|| at.get(&self.ids).as_str())
    }

    /// Carries out a step. Refusals are as good as records, as long as they are for a reason.
    fn take(&mut self, step: &Step) {
        let number = self.next();
        let said = format!("said {number}.");
        let call = |at: &Index| (!self.calls.is_empty()).then(|| at.get(&self.calls).clone());
        let drafts = match step {
            Step::Prompt => vec![Draft::prompt(PromptContent::Text(&said))],
            Step::Meta => vec![Draft::meta_prompt(PromptContent::Text(&said))],
            Step::Response(tools) => self.response(number, *tools),
            Step::Answer(at) => call(at).iter().map(|id| answer(id)).collect(),
            Step::Progress => vec![Draft::progress(br#"{"type":"bash_progress"}"#, "a", "b")],
            Step::Attachment => {
                vec![Draft::attachment(br#"{"type":"todo_reminder","content":[],"itemCount":0}"#)]
            }
            Step::Turn => vec![Draft::turn_duration(9, None)],
            Step::Command => vec![Draft::local_command("<command-name>/x</command-name>")],
            Step::Title => vec![Draft::custom_title(&said), Draft::tag("t")],
            Step::LastPrompt(at) => vec![Draft::last_prompt("x", at.as_ref().and_then(|at| self.pick(at)))],
            Step::Compaction => vec![
                Draft::compact_boundary(CompactionTrigger::Auto, 10, |_| {}),
                Draft::compact_summary("in short"),
            ],
            Step::Given(given) => vec![self.given(given, &said)],
            Step::GivenAnswer(at) => {
                let id = call(at).unwrap_or("nobody".into());
                let line = format!(
                    r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
                );
                vec![Draft::from_json(line.as_bytes()).unwrap()]
            }
            Step::GivenUnknown => vec![Draft::from_json(br#"{"type":"from-the-future","uuid":1}"#).unwrap()],
            Step::Plain(metadata) => plain(&said, metadata),
        };
        self.names_a_leaf |= matches!(step, Step::LastPrompt(_));
        for draft in drafts {
            if self.add(&draft).is_err() {
                return;
            }
        }
    }

    fn response(&mut self, number: u32, tools: usize) -> Vec<Draft> {
        let ids: Vec<_> = (0..tools).map(|tool| format!("toolu_{number}_{tool}")).collect();
        let mut blocks = vec![r#"{"type":"text","text":"an answer"}"#.to_owned()];
        blocks.extend(
            ids.iter().map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#)),
        );
        self.calls.extend(ids);
        let blocks: Vec<_> = blocks.iter().map(|block| block.as_bytes()).collect();
        let id = format!("msg_{number}");
        let stop_reason = Some(if tools > 0 { "tool_use" } else { "end_turn" });
        ResponseDraft { message: &id, request: None, model: "m", blocks: &blocks, stop_reason, usage: None }
            .drafts()
    }

    fn given(&self, given: &GivenPrompt, said: &str) -> Draft {
        let mut line = format!(r#"{{ "type" : "user", "message": {{"role":"user","content":"{said}"}}"#);
        let mut set = |key: &str, json: String| line += &format!(", \"{key}\":{json}");
        match &given.uuid {
            OwnId::Nothing => {}
            OwnId::Fresh => set("uuid", format!("\"own {}\"", self.count)),
            OwnId::Taken(at) => set("uuid", format!("\"{}\"", self.pick(at).unwrap_or("first"))),
            OwnId::Odd => set("uuid", "[]".into()),
        }
        match &given.parent {
            OwnParent::Nothing => {}
            OwnParent::Null | OwnParent::Known(_) if self.names_a_leaf => {}
            OwnParent::Null => set("parentUuid", "null".into()),
            OwnParent::Known(at) => {
                set("parentUuid", self.pick(at).map_or("null".into(), |id| format!("\"{id}\"")))
            }
            OwnParent::Unknown => set("parentUuid", "\"nobody\"".into()),
        }
        match given.timestamp {
            OwnTime::Nothing => {}
            OwnTime::Later => set("timestamp", format!("\"2027-01-01T00:{:02}:00Z\"", self.count % 60)),
            OwnTime::LastOfAll => set("timestamp", "\"9999-12-31T23:59:59.999Z\"".into()),
            OwnTime::NoTime => set("timestamp", "\"soon\"".into()),
        }
        if given.is_sidechain {
            set("isSidechain", "true".into());
        }
        Draft::from_json((line + "}").as_bytes()).unwrap()
    }
}

fn answer(id: &str) -> Draft {
    let outcome = ToolOutcome::Done;
    Draft::tool_result(ToolResultDraft { tool_use: id, content: b"\"done\"", outcome, shown: None })
}

fn plain(said: &str, metadata: &str) -> Vec<Draft> {
    let json = format!(r#"{{"role":"user","content":"{said}","metadata":{metadata}}}"#);
    let message = Message::parse(&Value::parse(json.as_bytes()).unwrap().fields().unwrap()).unwrap();
    let defaults = ResponseDefaults { message: "m".into(), request: "r".into(), model: "m".into() };
    drafts_from_message(&message, &defaults).unwrap()
}

/// Ids are unique, parents stand above and are no progress, keys do not repeat, results name the line of their call.
fn lines_are_in_order(bytes: &[u8]) {
    let mut kinds: HashMap<String, RecordKind> = HashMap::new();
    let mut calls: HashMap<String, String> = HashMap::new();
    for line in lines(bytes) {
        let shown = String::from_utf8_lossy(line.raw()).into_owned();
        let (fields, length) = Fields::scan(line.body()).unwrap();
        assert_eq!(length, line.body().len(), "{shown}");
        let keys: HashSet<_> = fields.iter().map(|field| field.key.to_string()).collect();
        assert_eq!(keys.len(), fields.len(), "a key repeats: {shown}");
        let record = Record::new(fields);
        if !record.kind().is_chain() {
            continue;
        }
        let (uuid, parent) = (record.envelope().uuid().unwrap(), record.envelope().parent());
        if let Some(parent) = parent {
            let kind = kinds.get(&parent.to_string());
            assert!(
                kind.is_some_and(|kind| *kind != RecordKind::Progress),
                "{kind:?} is its parent: {shown}"
            );
        }
        assert_eq!(kinds.insert(uuid.to_string(), record.kind()), None, "a second: {shown}");
        assert!(
            record.envelope().timestamp().is_some_and(|time| time.millis().is_some()),
            "no time: {shown}"
        );
        let content = match &record {
            Record::User(user) => user.content(),
            Record::Assistant(assistant) => assistant.content(),
            _ => continue,
        };
        for block in content.blocks() {
            match block {
                Block::ToolUse(call) => drop(calls.insert(call.id().unwrap().to_string(), uuid.to_string())),
                Block::ToolResult(result) => {
                    let source = record.fields().text("sourceToolAssistantUUID").map(|text| text.to_string());
                    assert_eq!(
                        source.as_ref(),
                        calls.get(&result.tool_use().unwrap().to_string()),
                        "{shown}"
                    );
                }
                _ => {}
            }
        }
    }
}

/// What is said on the way from the start, or the last compaction, to the tip.
fn said_on_the_way(transcript: &Transcript<'_>, tip: &str) -> Vec<String> {
    let records: HashMap<_, _> = transcript
        .records()
        .filter_map(|(_, record)| Some((record.envelope().uuid()?.to_string(), record)))
        .collect();
    let (mut said, mut at) = (Vec::new(), Some(tip.to_owned()));
    while let Some(record) = at.as_ref().and_then(|id| records.get(id)) {
        let text =
            record.fields().get("message").and_then(|message| message.get("content")).and_then(Value::text);
        said.extend(text.map(|text| text.to_string()).filter(|_| record.kind() == RecordKind::User));
        at = record.envelope().parent().map(|id| id.to_string());
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_appended_every_client_goes_on_with_it(steps in prop::collection::vec(step(), 0..24)) {
        let mut file = File::new();
        for step in &steps {
            file.take(step);
        }
        file.add(&Draft::prompt(PromptContent::Text("the last word"))).unwrap();
        lines_are_in_order(&file.bytes);
        let transcript = Transcript::parse(&file.bytes);
        let tip = file.state.tip().unwrap().to_owned();
        let reopened = Continuation::of(&transcript, ThreadKind::Main);
        prop_assert_eq!(reopened.tip(), Some(tip.as_str()), "a program that opens it again continues elsewhere");
        let said = said_on_the_way(&transcript, &tip);
        prop_assert_eq!(said.first().map(String::as_str), Some("the last word"));
        for &client in Client::ALL {
            let mut json = Vec::new();
            resume(&transcript, client).write_json(&mut json);
            let json = String::from_utf8(json).unwrap();
            for text in &said {
                prop_assert!(json.contains(text), "{} lost {:?}:\n{}", client, text, String::from_utf8_lossy(&file.bytes));
            }
        }
    }

    #[test]
    fn time_never_runs_back_where_nobody_sets_it(steps in prop::collection::vec(step(), 0..24)) {
        let mut file = File::new();
        let mut newest = i64::MIN;
        for step in &steps {
            let from = file.bytes.len();
            file.take(step);
            let is_given = matches!(step, Step::Given(_));
            for line in lines(&file.bytes[from..]) {
                let record = Record::new(Fields::scan(line.body()).unwrap().0);
                if !record.kind().is_chain() {
                    continue;
                }
                let millis = parse_millis(&record.envelope().timestamp().unwrap().decode()).unwrap();
                prop_assert!(is_given || millis >= newest, "{}", String::from_utf8_lossy(line.raw()));
                newest = newest.max(millis);
            }
        }
    }
}
