//! Sub-agents: inside the session, next to it, or in its folder, depending on the era.

use crate::era::Era;
use crate::generator::SessionGenerator;
use crate::json;
use crate::response::BlockPosition;
use crate::tools::agents::{self, TaskReport};
use crate::transcript::TranscriptWriter;
use crate::turn::{PendingCall, ToolCall};

/// A sub-agent that has done its work.
pub(crate) struct Subagent {
    pub(crate) transcript: TranscriptWriter,
    pub(crate) short: String,
    pub(crate) prompt: String,
    pub(crate) report: String,
}

impl Subagent {
    pub(crate) fn id(&self) -> &str {
        self.transcript.envelope.agent.as_deref().unwrap_or_default()
    }

    pub(crate) fn task_report(&self) -> TaskReport<'_> {
        let envelope = &self.transcript.envelope;
        TaskReport {
            agent: self.id(),
            kind: "general-purpose",
            short: &self.short,
            prompt: &self.prompt,
            report: &self.report,
            took_ms: self.transcript.now - self.transcript.started,
            truth: self.transcript.truth,
            model: (envelope.era == Era::Newest
                || envelope.era == Era::Attachments && envelope.patch() >= 181)
                .then(|| envelope.era.models()[2]),
        }
    }

    /// The meta file of the transcript, since 2.1.9x.
    pub(crate) fn meta(&self, tool_use: &str) -> Vec<u8> {
        let newest = self.transcript.envelope.era == Era::Newest;
        json::object(|o| {
            o.string("agentType", "general-purpose").string("description", &self.short);
            if newest {
                o.string("toolUseId", tool_use).raw("spawnDepth", b"1").boolean("finished", true);
            }
        })
    }
}

impl SessionGenerator {
    /// The name of a new agent.
    pub(crate) fn agent_id(&mut self) -> String {
        let random = &mut self.transcript.random;
        match self.transcript.envelope.era {
            Era::First | Era::Second => random.hex(8),
            Era::Third => format!("a{}", random.hex(6)),
            _ => format!("a{}", random.hex(16)),
        }
    }

    /// Lets a sub-agent work for `steps` steps, in a separate file.
    pub(crate) fn agent(&mut self, id: String, steps: u64) -> Subagent {
        let (short, prompt) = self.writer.task();
        let mut envelope = self.transcript.envelope.clone();
        envelope.agent = Some(id);
        let random = self.transcript.random.fork(3);
        let mut transcript = TranscriptWriter::new(envelope, self.transcript.now + 400, random);
        transcript.prompt_id = self.transcript.prompt_id;
        transcript.user(&json::string(&prompt), &[], &[]);
        let report = self.writer.answer(2);
        let transcript = self.in_file(transcript, |generator| {
            for _ in 0..steps {
                generator.step();
            }
            generator.transcript.reply(generator.model, &report);
        });
        Subagent { transcript, short, prompt, report }
    }

    /// Works for a while in another file, with the model for errands.
    pub(crate) fn in_file(
        &mut self,
        mut transcript: TranscriptWriter,
        work: impl FnOnce(&mut Self),
    ) -> TranscriptWriter {
        std::mem::swap(&mut self.transcript, &mut transcript);
        let (model, backups) = (self.model, self.backups.take());
        self.model = self.era().models()[2];
        work(self);
        (self.model, self.backups) = (model, backups);
        std::mem::swap(&mut self.transcript, &mut transcript);
        transcript
    }

    /// A sub-agent is sent, works, and reports; its file goes where the age puts it.
    pub(crate) fn delegate(&mut self, steps: u64) -> PendingCall {
        if self.era() == Era::First {
            return self.delegate_inline(steps);
        }
        let id = self.agent_id();
        let agent = self.agent(id, steps);
        let tool = agents::completed(self.era(), &agent.task_report());
        let called = self.send(&tool, agent.transcript.now);
        self.write_agent(agent, &called);
        called
    }

    /// The call, the time that it takes, and the answer.
    pub(crate) fn send(&mut self, tool: &ToolCall, until: i64) -> PendingCall {
        let mut response = self.transcript.response(self.model, tool.input.len() as u64 / 4 + 30, "tool_use");
        let called = self.transcript.call(&mut response, BlockPosition::Last, tool);
        self.transcript.now = self.transcript.now.max(until);
        self.transcript.answer(&called, tool);
        called
    }

    /// Files an agent in the usual place.
    pub(crate) fn write_agent(&mut self, agent: Subagent, called: &PendingCall) {
        let mut folder = self.folder();
        if self.era().agents_in_folder() {
            folder = format!("{folder}/{}/subagents", self.transcript.envelope.session);
        }
        if self.era() >= Era::Attachments {
            let (path, meta) = (format!("{folder}/agent-{}.meta.json", agent.id()), agent.meta(&called.id));
            self.bundle.file(path, meta, agent.transcript.now);
        }
        self.bundle.agent(&folder, agent.transcript);
    }

    /// 1.0.x: the agent's lines are in the session, on a separate side chain.
    fn delegate_inline(&mut self, steps: u64) -> PendingCall {
        let (short, prompt) = self.writer.task();
        let input = json::object(|o| {
            o.string("description", &short).string("prompt", &prompt);
        });
        let waiting = ToolCall { name: "Task".into(), input, ..ToolCall::default() };
        let mut response = self.transcript.response(self.model, 120, "tool_use");
        let called = self.transcript.call(&mut response, BlockPosition::Last, &waiting);
        let (began, before) = (self.transcript.now, self.transcript.truth);
        let parent = self.transcript.parent.take();
        self.transcript.sidechain = true;
        let (context, fresh) = (self.transcript.context, self.transcript.fresh);
        (self.transcript.context, self.transcript.fresh) = (0, 9_000);
        self.transcript.user(&json::string(&prompt), &[], &[]);
        for _ in 0..steps {
            self.step();
        }
        let report = self.writer.answer(1);
        self.transcript.reply(self.model, &report);
        self.transcript.sidechain = false;
        (self.transcript.parent, self.transcript.context, self.transcript.fresh) = (parent, context, fresh);
        let mut truth = self.transcript.truth;
        truth.responses -= before.responses;
        truth.tool_calls -= before.tool_calls;
        let task_report = TaskReport {
            agent: "",
            kind: "general-purpose",
            short: &short,
            prompt: &prompt,
            report: &report,
            took_ms: self.transcript.now - began,
            truth,
            model: None,
        };
        let tool = agents::completed(Era::First, &task_report);
        self.transcript.answer(&called, &tool);
        called
    }
}
