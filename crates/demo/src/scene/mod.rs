//! The showcase: sessions composed by hand that cover the whole format.

mod agent_steps;
mod computed;
mod damaged;
mod forks;
mod money;
mod player;
mod steps;
mod template;
mod tool_steps;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::bundle::Bundle;
use crate::clock::Timestamp;
use crate::generator::SessionGenerator;
use crate::id::Uuid;
use crate::image;
use crate::json;
use crate::random::Random;
use crate::tools::{files, lists};
use crate::transcript::{LineKind, TranscriptWriter};
use crate::turn::ToolCall;

/// Plays the scenes one after the other.
pub(crate) struct Showcase {
    seed: u64,
    next: usize,
}

/// A session or several, from a scene file or made by a function.
enum Scene {
    File(&'static str),
    Function(fn(&mut Random) -> Bundle),
}

const SCENES: &[Scene] = &[
    Scene::File(include_str!("../../scenes/oldest.scene")),
    Scene::File(include_str!("../../scenes/tools_of_old.scene")),
    Scene::File(include_str!("../../scenes/continued.scene")),
    Scene::File(include_str!("../../scenes/beside.scene")),
    Scene::File(include_str!("../../scenes/backups.scene")),
    Scene::File(include_str!("../../scenes/rewound.scene")),
    Scene::Function(computed::microcompact),
    Scene::Function(computed::small_ones),
    Scene::File(include_str!("../../scenes/progress.scene")),
    Scene::File(include_str!("../../scenes/overflow.scene")),
    Scene::File(include_str!("../../scenes/two_clients.scene")),
    Scene::File(include_str!("../../scenes/attachments.scene")),
    Scene::File(include_str!("../../scenes/failures.scene")),
    Scene::Function(money::models),
    Scene::File(include_str!("../../scenes/desktop.scene")),
    Scene::File(include_str!("../../scenes/preserved.scene")),
    Scene::Function(damaged::damaged),
    Scene::Function(damaged::crashed),
    Scene::File(include_str!("../../scenes/workflow.scene")),
    Scene::File(include_str!("../../scenes/newest.scene")),
    Scene::File(include_str!("../../scenes/from_here.scene")),
    Scene::File(include_str!("../../scenes/headless.scene")),
    Scene::Function(crate::ordinary::session),
    Scene::Function(crate::ordinary::session),
    Scene::Function(crate::ordinary::session),
];

impl Showcase {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    pub(crate) fn next(&mut self) -> Option<Bundle> {
        let scene = SCENES.get(self.next)?;
        self.next += 1;
        let mut random = Random::new(self.seed.wrapping_mul(1_000_003).wrapping_add(self.next as u64));
        Some(match scene {
            Scene::File(text) => player::play(&mut random, text),
            Scene::Function(session) => session(&mut random),
        })
    }
}

/// A small picture in base 64.
fn picture(a: &mut SessionGenerator, side: u32) -> String {
    BASE64_STANDARD.encode(image::png(&mut a.writer.random, side, side))
}

/// A plan is written to its file and agreed on.
fn plan_file(a: &mut SessionGenerator) {
    let name = a.transcript.envelope.slug.clone().unwrap_or_else(|| "quiet-folding-heron".to_owned());
    let home = if a.transcript.envelope.cwd.starts_with("/home") { "/home/mira" } else { "/Users/tomas" };
    let path = format!("{home}/.claude/plans/{name}.md");
    let mut plan = a.writer.title();
    plan.insert_str(0, "# ");
    plan.push_str("\n\n");
    plan.push_str(&a.writer.answer(3));
    let write = files::write(a.era(), &path, &plan, None);
    if let Some(backups) = &mut a.backups {
        backups.before_create(&mut a.transcript, &path, &plan);
    }
    a.respond(&[write]);
    a.bundle.file(format!("plans/{name}.md"), plan.as_bytes(), a.transcript.now);
    let input = json::object(|o| {
        o.string("plan", &plan);
    });
    let result = json::object(|o| {
        o.string("plan", &plan).boolean("isAgent", false).string("filePath", &path);
    });
    let content = json::string("User has approved your plan.");
    a.respond(&[ToolCall { name: "ExitPlanMode".into(), input, content, result, ..ToolCall::default() }]);
}

/// A task as the client keeps it on disk.
fn task_file(a: &mut SessionGenerator, id: u64, todo: &lists::Todo, description: &str) {
    let text = json::object(|o| {
        o.string("id", &id.to_string()).string("subject", &todo.content).string("description", description);
        o.string("activeForm", &todo.active).string("status", todo.status);
        o.raw("blocks", b"[]").raw("blockedBy", b"[]");
    });
    let session = a.transcript.envelope.session;
    a.bundle.file(format!("tasks/{session}/{id}.json"), text, a.transcript.now);
}

impl SessionGenerator {
    /// The list of things to do, as a file.
    fn write_todos_file(&mut self, todos: &[lists::Todo]) {
        let session = self.transcript.envelope.session;
        let text = lists::as_json(self.era(), todos);
        self.bundle.file(format!("todos/{session}-agent-{session}.json"), text, self.transcript.now);
    }

    /// A file that the person pointed at with `@`.
    fn attach_file(&mut self, name: &str) {
        let path = crate::text::names::join(&self.transcript.envelope.cwd, name);
        let text = self.writer.answer(2);
        let lines = text.lines().count() as u64;
        self.transcript.attach("file", Some("A file was attached."), |o| {
            o.string("filename", &path).object("content", |c| {
                c.string("type", "text").object("file", |f| {
                    f.string("filePath", &path).string("content", &text).number("numLines", lines);
                    f.raw("startLine", b"1").number("totalLines", lines);
                });
            });
            o.string("displayPath", name);
        });
    }
}

impl TranscriptWriter {
    /// A system line of 1.0.x, which has no subtype.
    fn chain_notice(&mut self, content: &str, level: &str) {
        let tool_use = self.random.token("toolu_01", 22);
        self.chain(LineKind::Other, |o, identity| {
            o.string("type", "system").string("content", content).boolean("isMeta", false);
            identity.time_and_uuid(o);
            if level == "info" {
                o.string("toolUseID", &tool_use);
            }
            o.string("level", level);
        });
    }

    /// A pull request created in the session.
    fn pr_link(&mut self, number: u32, repository: &str) {
        let (session, stamp) = (self.envelope.session, Timestamp::of(self.now));
        let url = format!("https://git.example.com/{repository}/pull/{number}");
        self.side("pr-link", |o| {
            o.string("sessionId", session.as_str()).number("prNumber", number).string("prUrl", &url);
            o.string("prRepository", repository).string("timestamp", stamp.as_str());
        });
    }
}

/// An agent's line as `agent_progress` repeats it.
fn repeated(line: &[u8]) -> Option<Vec<u8>> {
    let line = std::str::from_utf8(line).ok()?;
    let start = line.find("\"message\":")? + "\"message\":".len();
    let length = object_length(&line.as_bytes()[start..])?;
    let (message, rest) = (&line[start..start + length], &line[start + length..]);
    let uuid = rest.split("\"uuid\":\"").nth(1)?.get(..36)?;
    let stamp = rest.split("\"timestamp\":\"").nth(1)?.get(..24)?;
    let kind = if message.contains("\"role\":\"assistant\"") { "assistant" } else { "user" };
    Some(json::object(|o| {
        o.string("type", kind)
            .raw("message", message.as_bytes())
            .string("uuid", uuid)
            .string("timestamp", stamp);
    }))
}

/// How long the object at the start of `bytes` is.
fn object_length(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut inside, mut escaped) = (0_u32, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'{' if !inside => depth += 1,
            b'}' if !inside => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The uuids of the chain lines that `transcript` has written since it was `from` bytes long.
fn ids_since(transcript: &TranscriptWriter, from: usize) -> Vec<Uuid> {
    let text = String::from_utf8_lossy(&transcript.out[from..]);
    text.lines()
        .filter(|line| line.starts_with("{\"parentUuid\""))
        .filter_map(|line| Uuid::parse(line.split("\"uuid\":\"").nth(1)?.get(..36)?))
        .collect()
}
