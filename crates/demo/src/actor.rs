//! Somebody at work: a person and a model in one session, with the habits of the client's age.

use crate::bundle::Bundle;
use crate::era::Era;
use crate::id::Id;
use crate::json;
use crate::random::Random;
use crate::response::{Place, tokens_of};
use crate::script::{Head, Script};
use crate::slug::slug;
use crate::text::Scribe;
use crate::text::compose::Failing;
use crate::tools::{files, lists, search, shell};
use crate::turn::{Called, Exchange};
use crate::words::Project;

/// A session with everything that is needed to go on with it.
pub(crate) struct Actor {
    pub(crate) script: Script,
    pub(crate) scribe: Scribe,
    pub(crate) model: &'static str,
    /// The file that is being worked on, and its text.
    pub(crate) path: String,
    pub(crate) text: String,
    /// How large files and outputs get.
    pub(crate) bulk: u64,
    pub(crate) bundle: Bundle,
    /// Present if the client keeps copies of edited files.
    pub(crate) backups: Option<crate::backups::Backups>,
    pub(crate) turn_began: i64,
    pub(crate) todos: Vec<lists::Todo>,
}

impl Actor {
    /// A new session of `project`.
    pub(crate) fn begin(
        random: &mut Random,
        project: &'static Project,
        version: &'static str,
        started: i64,
    ) -> Self {
        let mut scribe = Scribe::new(random.fork(1), project);
        scribe.today = started;
        let era = Era::of(version);
        let named =
            matches!(era, Era::Third | Era::Progress) || matches!(version, "2.0.55" | "2.0.64" | "2.0.76");
        let head = Head {
            session: random.uuid(),
            cwd: project.cwd.to_owned(),
            version,
            era,
            branch: (random.word(project.branches)).to_owned(),
            slug: named.then(|| scribe.name()),
            entrypoint: if project.cwd.contains('\\') { "claude-desktop" } else { "cli" },
            agent: None,
            team: None,
        };
        let script = Script::new(head, started, random.fork(2));
        let model = era.models()[usize::from(random.chance(35))];
        let mut actor = Self {
            script,
            scribe,
            model,
            path: String::new(),
            text: String::new(),
            bulk: 1,
            bundle: Bundle::default(),
            backups: None,
            turn_began: started,
            todos: Vec::new(),
        };
        actor.take_file();
        actor
    }

    pub(crate) fn era(&self) -> Era {
        self.script.head.era
    }

    /// Another file comes to the desk.
    pub(crate) fn take_file(&mut self) {
        self.path = self.scribe.path();
        let size = self.scribe.random.skewed(500, 9_000 + 9_000 * self.bulk);
        self.text = self.scribe.source(size as usize);
    }

    /// A prompt.
    pub(crate) fn ask(&mut self, text: &str) -> Id {
        let id = self.script.prompt(text);
        self.turn_began = self.script.now;
        if let Some(backups) = &mut self.backups {
            backups.snapshot(&mut self.script, id);
        }
        id
    }

    /// The whole of a turn after its prompt: `steps` uses of tools and an answer.
    pub(crate) fn work(&mut self, steps: u64) {
        for _ in 0..steps {
            self.step();
        }
        self.conclude();
    }

    /// One response that uses a tool, or several at once.
    pub(crate) fn step(&mut self) {
        let parallel = self.scribe.random.chance(14);
        let tools: Vec<Exchange> = (0..if parallel { self.scribe.random.between(2, 3) } else { 1 })
            .map(|_| self.some_tool())
            .collect();
        self.respond(&tools);
    }

    /// A response with these tools in it, answered in the shape of the age.
    pub(crate) fn respond(&mut self, tools: &[Exchange]) -> Vec<Called> {
        let spent: u64 = tools.iter().map(|tool| tool.input.len() as u64 / 4).sum();
        let thought = self.scribe.random.chance(45).then(|| {
            let sentences = self.scribe.random.skewed(2, 24);
            self.scribe.thought(sentences)
        });
        let remark = self.scribe.random.chance(40).then(|| self.scribe.remark());
        let thinking = thought.as_deref().map_or(0, tokens_of);
        let output = spent + thinking + remark.as_deref().map_or(0, tokens_of) + 20;
        let mut response = self.script.response(self.model, output, "tool_use");
        response.thinking_tokens = thinking;
        if let Some(thought) = &thought {
            let block = self.thinking_block(thought);
            self.script.say(&mut response, Place::More, &block);
        }
        if let Some(remark) = &remark {
            self.script.say(&mut response, Place::More, &json::text(remark));
        }
        let era = self.era();
        let mut calls = Vec::new();
        for (at, tool) in tools.iter().enumerate() {
            let place = if at + 1 == tools.len() { Place::Last } else { Place::More };
            let called = self.script.call(&mut response, place, tool);
            if era >= Era::Attachments {
                self.script.answer(&called, tool);
            } else if era == Era::Progress && self.scribe.random.chance(30) {
                self.hook_before(&called, &tool.name);
            }
            calls.push(called);
        }
        if era < Era::Attachments {
            for (called, tool) in calls.iter().zip(tools) {
                if era >= Era::Third {
                    self.script.parent = Some(called.line);
                }
                self.script.answer(called, tool);
            }
        }
        calls
    }

    /// A hook before a tool, which leaves a line that nothing hangs on.
    fn hook_before(&mut self, called: &Called, tool: &str) {
        self.script.progress(&called.id, &called.id, |o| {
            o.string("type", "hook_progress").string("hookEvent", "PreToolUse");
            o.string("hookName", &format!("PreToolUse:{tool}")).string("command", "./tools/guard.sh");
        });
        self.script.parent = Some(called.line);
    }

    /// Thinking as the age keeps it: the newest clients often keep only the signature.
    pub(crate) fn thinking_block(&mut self, thought: &str) -> Vec<u8> {
        let hidden = self.era() >= Era::Attachments && self.scribe.random.chance(55);
        let length = 200 + thought.len() / 2;
        let signature = self.script.random.noise(length);
        json::thinking(if hidden { "" } else { thought }, &signature)
    }

    /// A tool that fits the work.
    pub(crate) fn some_tool(&mut self) -> Exchange {
        let era = self.era();
        let scale = 4_000 * self.bulk;
        match self.scribe.random.below(100) {
            0..=33 => {
                let size = self.scribe.random.skewed(60, scale * 4) as usize;
                let tool = shell::any(&mut self.scribe, size);
                if era >= Era::Attachments { shell::modern(tool) } else { tool }
            }
            34..=52 => {
                self.take_file();
                files::read(era, &self.path, &self.text)
            }
            53..=72 => self.edit(),
            73..=81 => {
                let size = self.scribe.random.skewed(200, scale) as usize;
                search::grep(&mut self.scribe, size)
            }
            82..=86 => search::grep_files(&mut self.scribe),
            87..=89 => search::glob(&mut self.scribe),
            90..=94 => {
                let path = self.scribe.path();
                let size = self.scribe.random.skewed(300, scale * 2) as usize;
                let text = self.scribe.source(size);
                files::write(era, &path, &text, None)
            }
            95 => search::web_fetch(&mut self.scribe),
            96 => {
                let input = json::object(|o| {
                    o.string("file_path", &self.path);
                });
                super::tools::failed("Read", input, "File does not exist.")
            }
            _ if era < Era::Attachments => {
                let new = lists::todos(&mut self.scribe, 1);
                let old = std::mem::replace(&mut self.todos, new);
                lists::todo_write(era, &old, &self.todos)
            }
            _ => {
                let printed = self.scribe.tests(400, Failing::None);
                shell::ran(self.scribe.project.test, "Run the tests", &printed)
            }
        }
    }

    /// A change to the file on the desk.
    pub(crate) fn edit(&mut self) -> Exchange {
        let piece = self.scribe.piece();
        let change = files::Change::within(&mut self.scribe.random, &self.text, piece);
        let keeps = self.era() < Era::Attachments || self.scribe.random.chance(40);
        let tool = files::edit(&self.path, &change, keeps.then_some(self.text.as_str()));
        let after = change.apply(&self.text);
        if let Some(backups) = &mut self.backups {
            backups.before_edit(&mut self.script, &self.path, &self.text, &after);
        }
        self.text = after;
        tool
    }

    /// The answer at the end of a turn, and what the client notes behind it.
    pub(crate) fn conclude(&mut self) -> Id {
        let size = self.scribe.random.skewed(0, 5).min(4);
        let text = self.scribe.answer(size);
        self.conclude_with(&text)
    }

    /// The same with the text given.
    pub(crate) fn conclude_with(&mut self, text: &str) -> Id {
        let id = self.script.reply(self.model, text);
        let late = self.era() == Era::Attachments && self.script.head.patch() > 136;
        if matches!(self.era(), Era::Third | Era::Progress | Era::Attachments) && !late {
            self.script.turn_duration(self.turn_began);
        }
        id
    }

    /// Where the project keeps its sessions.
    pub(crate) fn folder(&self) -> String {
        format!("projects/{}", slug(&self.script.head.cwd))
    }

    /// Hands out the session and everything that came with it.
    pub(crate) fn finish(mut self) -> Bundle {
        if let Some(backups) = self.backups.take() {
            backups.put_into(&mut self.bundle, self.script.head.session);
        }
        self.bundle.session(self.script);
        self.bundle
    }
}
