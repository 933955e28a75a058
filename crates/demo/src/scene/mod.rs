//! The showcase: sessions composed by hand, so that everything the format knows is somewhere.

mod attachments;
mod damaged;
mod desktop;
mod early;
mod forks;
mod hooks;
mod money;
mod newest;
mod progress;
mod requests;
mod second;
mod third;
mod workflow;

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::Stamp;
use crate::id::Id;
use crate::image;
use crate::json;
use crate::random::Random;
use crate::script::{Kind, Script};
use crate::tools::{files, lists};
use crate::turn::Exchange;

/// Plays the scenes one after the other.
pub(crate) struct Showcase {
    seed: u64,
    next: usize,
}

type Scene = fn(&mut Random) -> Bundle;

const SCENES: &[Scene] = &[
    early::oldest,
    early::tools_of_old,
    early::continued,
    second::beside,
    second::backups,
    third::rewound,
    third::microcompact,
    third::small_ones,
    progress::progress,
    progress::overflow,
    attachments::two_clients,
    attachments::attachments,
    attachments::unlucky,
    money::models,
    desktop::desktop,
    desktop::preserved,
    damaged::damaged,
    damaged::crashed,
    workflow::workflow,
    newest::newest,
    newest::from_here,
    newest::headless,
    crate::ordinary::session,
    crate::ordinary::session,
    crate::ordinary::session,
];

impl Showcase {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    pub(crate) fn next(&mut self) -> Option<Bundle> {
        let scene = SCENES.get(self.next)?;
        self.next += 1;
        Some(scene(&mut Random::new(self.seed.wrapping_mul(1_000_003).wrapping_add(self.next as u64))))
    }
}

/// A small picture in base 64.
fn picture(a: &mut Actor, side: u32) -> String {
    image::base64(&image::png(&mut a.scribe.random, side, side))
}

/// A plan is written to its file and agreed on.
fn plan_file(a: &mut Actor) {
    let name = a.script.head.slug.clone().unwrap_or_else(|| "quiet-folding-heron".to_owned());
    let home = if a.script.head.cwd.starts_with("/home") { "/home/mira" } else { "/Users/tomas" };
    let path = format!("{home}/.claude/plans/{name}.md");
    let mut plan = a.scribe.title();
    plan.insert_str(0, "# ");
    plan.push_str("\n\n");
    plan.push_str(&a.scribe.answer(3));
    let write = files::write(a.era(), &path, &plan, None);
    if let Some(backups) = &mut a.backups {
        backups.before_create(&mut a.script, &path, &plan);
    }
    a.respond(&[write]);
    a.bundle.file(format!("plans/{name}.md"), plan.as_bytes(), a.script.now);
    let input = json::object(|o| {
        o.string("plan", &plan);
    });
    let result = json::object(|o| {
        o.string("plan", &plan).boolean("isAgent", false).string("filePath", &path);
    });
    let content = json::string("User has approved your plan.");
    a.respond(&[Exchange { name: "ExitPlanMode".into(), input, content, result, ..Exchange::default() }]);
}

/// A task as the client keeps it on disk.
fn task_file(a: &mut Actor, id: u64, todo: &lists::Todo, description: &str) {
    let text = json::object(|o| {
        o.string("id", &id.to_string()).string("subject", &todo.content).string("description", description);
        o.string("activeForm", &todo.active).string("status", todo.status);
        o.raw("blocks", b"[]").raw("blockedBy", b"[]");
    });
    let session = a.script.head.session;
    a.bundle.file(format!("tasks/{session}/{id}.json"), text, a.script.now);
}

impl Actor {
    /// The list of things to do, as a file.
    fn put_todos(&mut self, todos: &[lists::Todo]) {
        let session = self.script.head.session;
        let text = lists::as_json(self.era(), todos);
        self.bundle.file(format!("todos/{session}-agent-{session}.json"), text, self.script.now);
    }

    /// A file that the person pointed at with `@`.
    fn attach_file(&mut self, name: &str) {
        let path = crate::text::names::join(&self.script.head.cwd, name);
        let text = self.scribe.answer(2);
        let lines = text.lines().count() as u64;
        self.script.attach("file", Some("A file was attached."), |o| {
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

impl Script {
    /// A system line of 1.0.x, which has no subtype.
    fn chain_notice(&mut self, content: &str, level: &str) {
        let tool_use = self.random.token("toolu_01", 22);
        self.chain(Kind::Other, |o, mark| {
            o.string("type", "system").string("content", content).boolean("isMeta", false);
            mark.time_and_uuid(o);
            if level == "info" {
                o.string("toolUseID", &tool_use);
            }
            o.string("level", level);
        });
    }

    /// A pull request came out of the session.
    fn pr_link(&mut self, number: u32, repository: &str) {
        let (session, stamp) = (self.head.session, Stamp::of(self.now));
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

/// The uuids of the chain lines that `script` has written since it was `from` bytes long.
fn ids_since(script: &Script, from: usize) -> Vec<Id> {
    let text = String::from_utf8_lossy(&script.out[from..]);
    text.lines()
        .filter(|line| line.starts_with("{\"parentUuid\""))
        .filter_map(|line| Id::parse(line.split("\"uuid\":\"").nth(1)?.get(..36)?))
        .collect()
}
