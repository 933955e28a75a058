//! Generates one session: prompts, tool calls and answers, in the form of the client's age.

use crate::bundle::Bundle;
use crate::era::Era;
use crate::id::Uuid;
use crate::json;
use crate::random::Random;
use crate::response::{BlockPosition, tokens_of};
use crate::slug::slug;
use crate::text::TextWriter;
use crate::text::compose::TestRun;
use crate::tools::{files, lists, search, shell};
use crate::transcript::{Envelope, TranscriptWriter};
use crate::turn::{PendingCall, ToolCall};
use crate::words::Project;

/// A session in the making, with everything that is needed to continue it.
pub(crate) struct SessionGenerator {
    pub(crate) transcript: TranscriptWriter,
    pub(crate) writer: TextWriter,
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

impl SessionGenerator {
    /// A new session of `project`.
    pub(crate) fn begin(
        random: &mut Random,
        project: &'static Project,
        version: &'static str,
        started: i64,
    ) -> Self {
        let mut writer = TextWriter::new(random.fork(1), project);
        writer.today = started;
        let era = Era::of(version);
        let named =
            matches!(era, Era::Third | Era::Progress) || matches!(version, "2.0.55" | "2.0.64" | "2.0.76");
        let envelope = Envelope {
            session: random.uuid(),
            cwd: project.cwd.to_owned(),
            version,
            era,
            branch: (random.word(&project.branches)).to_owned(),
            slug: named.then(|| writer.name()),
            entrypoint: if project.cwd.contains('\\') { "claude-desktop" } else { "cli" },
            agent: None,
            team: None,
        };
        let transcript = TranscriptWriter::new(envelope, started, random.fork(2));
        let model = era.models()[usize::from(random.chance(35))];
        let mut generator = Self {
            transcript,
            writer,
            model,
            path: String::new(),
            text: String::new(),
            bulk: 1,
            bundle: Bundle::default(),
            backups: None,
            turn_began: started,
            todos: Vec::new(),
        };
        generator.take_file();
        generator
    }

    pub(crate) fn era(&self) -> Era {
        self.transcript.envelope.era
    }

    /// Opens another file to work on.
    pub(crate) fn take_file(&mut self) {
        self.path = self.writer.path();
        let size = self.writer.random.skewed(500, 9_000 + 9_000 * self.bulk);
        self.text = self.writer.source(size as usize);
    }

    /// A prompt.
    pub(crate) fn ask(&mut self, text: &str) -> Uuid {
        let id = self.transcript.prompt(text);
        self.turn_began = self.transcript.now;
        if let Some(backups) = &mut self.backups {
            backups.snapshot(&mut self.transcript, id);
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
        let parallel = self.writer.random.chance(14);
        let tools: Vec<ToolCall> = (0..if parallel { self.writer.random.between(2, 3) } else { 1 })
            .map(|_| self.some_tool())
            .collect();
        self.respond(&tools);
    }

    /// A response with these tools in it, answered in the shape of the age.
    pub(crate) fn respond(&mut self, tools: &[ToolCall]) -> Vec<PendingCall> {
        let spent: u64 = tools.iter().map(|tool| tool.input.len() as u64 / 4).sum();
        let thought = self.writer.random.chance(45).then(|| {
            let sentences = self.writer.random.skewed(2, 24);
            self.writer.thought(sentences)
        });
        let remark = self.writer.random.chance(40).then(|| self.writer.remark());
        let thinking = thought.as_deref().map_or(0, tokens_of);
        let output = spent + thinking + remark.as_deref().map_or(0, tokens_of) + 20;
        let mut response = self.transcript.response(self.model, output, "tool_use");
        response.thinking_tokens = thinking;
        if let Some(thought) = &thought {
            let block = self.thinking_block(thought);
            self.transcript.write_block(&mut response, BlockPosition::More, &block);
        }
        if let Some(remark) = &remark {
            self.transcript.write_block(&mut response, BlockPosition::More, &json::text(remark));
        }
        let era = self.era();
        let mut calls = Vec::new();
        for (at, tool) in tools.iter().enumerate() {
            let place = if at + 1 == tools.len() { BlockPosition::Last } else { BlockPosition::More };
            let called = self.transcript.call(&mut response, place, tool);
            if era >= Era::Attachments {
                self.transcript.answer(&called, tool);
            } else if era == Era::Progress && self.writer.random.chance(30) {
                self.hook_before(&called, &tool.name);
            }
            calls.push(called);
        }
        if era < Era::Attachments {
            for (called, tool) in calls.iter().zip(tools) {
                if era >= Era::Third {
                    self.transcript.parent = Some(called.line);
                }
                self.transcript.answer(called, tool);
            }
        }
        calls
    }

    /// A hook before a tool, which leaves a line that nothing hangs on.
    fn hook_before(&mut self, called: &PendingCall, tool: &str) {
        self.transcript.progress(&called.id, &called.id, |o| {
            o.string("type", "hook_progress").string("hookEvent", "PreToolUse");
            o.string("hookName", &format!("PreToolUse:{tool}")).string("command", "./tools/guard.sh");
        });
        self.transcript.parent = Some(called.line);
    }

    /// Thinking as the age keeps it: the newest clients often keep only the signature.
    pub(crate) fn thinking_block(&mut self, thought: &str) -> Vec<u8> {
        let hidden = self.era() >= Era::Attachments && self.writer.random.chance(55);
        let length = 200 + thought.len() / 2;
        let signature = self.transcript.random.noise(length);
        json::thinking(if hidden { "" } else { thought }, &signature)
    }

    /// A tool that fits the work.
    pub(crate) fn some_tool(&mut self) -> ToolCall {
        let era = self.era();
        let scale = 4_000 * self.bulk;
        match self.writer.random.below(100) {
            0..=33 => {
                let size = self.writer.random.skewed(60, scale * 4) as usize;
                let tool = shell::any(&mut self.writer, size);
                if era >= Era::Attachments { shell::modern(tool) } else { tool }
            }
            34..=52 => {
                self.take_file();
                files::read(era, &self.path, &self.text)
            }
            53..=72 => self.edit(),
            73..=81 => {
                let size = self.writer.random.skewed(200, scale) as usize;
                search::grep(&mut self.writer, size)
            }
            82..=86 => search::grep_files(&mut self.writer),
            87..=89 => search::glob(&mut self.writer),
            90..=94 => {
                let path = self.writer.path();
                let size = self.writer.random.skewed(300, scale * 2) as usize;
                let text = self.writer.source(size);
                files::write(era, &path, &text, None)
            }
            95 => search::web_fetch(&mut self.writer),
            96 => {
                let input = json::object(|o| {
                    o.string("file_path", &self.path);
                });
                super::tools::failed("Read", input, "File does not exist.")
            }
            _ if era < Era::Attachments => {
                let new = lists::todos(&mut self.writer, 1);
                let old = std::mem::replace(&mut self.todos, new);
                lists::todo_write(era, &old, &self.todos)
            }
            _ => {
                let printed = self.writer.tests(400, TestRun::Passed);
                shell::ran(self.writer.project.test, "Run the tests", &printed)
            }
        }
    }

    /// Edits the file that is being worked on.
    pub(crate) fn edit(&mut self) -> ToolCall {
        let piece = self.writer.piece();
        let change = files::FileChange::within(&mut self.writer.random, &self.text, piece);
        let keeps = self.era() < Era::Attachments || self.writer.random.chance(40);
        let tool = files::edit(&self.path, &change, keeps.then_some(self.text.as_str()));
        let after = change.apply(&self.text);
        if let Some(backups) = &mut self.backups {
            backups.before_edit(&mut self.transcript, &self.path, &self.text, &after);
        }
        self.text = after;
        tool
    }

    /// Writes the answer at the end of a turn, and the client's records after it.
    pub(crate) fn conclude(&mut self) -> Uuid {
        let size = self.writer.random.skewed(0, 5).min(4);
        let text = self.writer.answer(size);
        self.conclude_with(&text)
    }

    /// The same with the text given.
    pub(crate) fn conclude_with(&mut self, text: &str) -> Uuid {
        let id = self.transcript.reply(self.model, text);
        let late = self.era() == Era::Attachments && self.transcript.envelope.patch() > 136;
        if matches!(self.era(), Era::Third | Era::Progress | Era::Attachments) && !late {
            self.transcript.turn_duration(self.turn_began);
        }
        id
    }

    /// Where the project keeps its sessions.
    pub(crate) fn folder(&self) -> String {
        format!("projects/{}", slug(&self.transcript.envelope.cwd))
    }

    /// Returns the session and all its files.
    pub(crate) fn finish(mut self) -> Bundle {
        if let Some(backups) = self.backups.take() {
            backups.add_to(&mut self.bundle, self.transcript.envelope.session);
        }
        self.bundle.session(self.transcript);
        self.bundle
    }
}
