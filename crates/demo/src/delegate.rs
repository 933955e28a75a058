//! Sub-agents: inside the session, beside it, or in its folder, as the age has it.

use crate::actor::Actor;
use crate::era::Era;
use crate::json;
use crate::response::Place;
use crate::script::Script;
use crate::tools::agents::{self, Errand};
use crate::turn::{Called, Exchange};

/// A sub-agent that has done its work.
pub(crate) struct Agent {
    pub(crate) script: Script,
    pub(crate) short: String,
    pub(crate) prompt: String,
    pub(crate) report: String,
}

impl Agent {
    pub(crate) fn id(&self) -> &str {
        self.script.head.agent.as_deref().unwrap_or_default()
    }

    pub(crate) fn errand(&self) -> Errand<'_> {
        let head = &self.script.head;
        Errand {
            agent: self.id(),
            kind: "general-purpose",
            short: &self.short,
            prompt: &self.prompt,
            report: &self.report,
            took_ms: self.script.now - self.script.started,
            truth: self.script.truth,
            model: (head.era == Era::Newest || head.era == Era::Attachments && head.patch() >= 181)
                .then(|| head.era.models()[2]),
        }
    }

    /// What stands beside the file, since 2.1.9x.
    pub(crate) fn meta(&self, tool_use: &str) -> Vec<u8> {
        let newest = self.script.head.era == Era::Newest;
        json::object(|o| {
            o.string("agentType", "general-purpose").string("description", &self.short);
            if newest {
                o.string("toolUseId", tool_use).raw("spawnDepth", b"1").boolean("finished", true);
            }
        })
    }
}

impl Actor {
    /// The name of a new agent.
    pub(crate) fn agent_id(&mut self) -> String {
        let random = &mut self.script.random;
        match self.script.head.era {
            Era::First | Era::Second => random.hex(8),
            Era::Third => format!("a{}", random.hex(6)),
            _ => format!("a{}", random.hex(16)),
        }
    }

    /// Lets a sub-agent work for `steps` steps, in a file of its own.
    pub(crate) fn agent(&mut self, id: String, steps: u64) -> Agent {
        let (short, prompt) = self.scribe.errand();
        let mut head = self.script.head.clone();
        head.agent = Some(id);
        let random = self.script.random.fork(3);
        let mut script = Script::new(head, self.script.now + 400, random);
        script.prompt_id = self.script.prompt_id;
        script.user(&json::string(&prompt), &[], &[]);
        let report = self.scribe.answer(2);
        let script = self.in_file(script, |actor| {
            for _ in 0..steps {
                actor.step();
            }
            actor.script.reply(actor.model, &report);
        });
        Agent { script, short, prompt, report }
    }

    /// Works for a while in another file, with the model for errands.
    pub(crate) fn in_file(&mut self, mut script: Script, work: impl FnOnce(&mut Self)) -> Script {
        std::mem::swap(&mut self.script, &mut script);
        let (model, backups) = (self.model, self.backups.take());
        self.model = self.era().models()[2];
        work(self);
        (self.model, self.backups) = (model, backups);
        std::mem::swap(&mut self.script, &mut script);
        script
    }

    /// A sub-agent is sent, works, and reports; its file goes where the age puts it.
    pub(crate) fn delegate(&mut self, steps: u64) -> Called {
        if self.era() == Era::First {
            return self.delegate_inline(steps);
        }
        let id = self.agent_id();
        let agent = self.agent(id, steps);
        let tool = agents::completed(self.era(), &agent.errand());
        let called = self.send(&tool, agent.script.now);
        self.put_agent(agent, &called);
        called
    }

    /// The call, the time that it takes, and the answer.
    pub(crate) fn send(&mut self, tool: &Exchange, until: i64) -> Called {
        let mut response = self.script.response(self.model, tool.input.len() as u64 / 4 + 30, "tool_use");
        let called = self.script.call(&mut response, Place::Last, tool);
        self.script.now = self.script.now.max(until);
        self.script.answer(&called, tool);
        called
    }

    /// Files an agent in the usual place.
    pub(crate) fn put_agent(&mut self, agent: Agent, called: &Called) {
        let mut folder = self.folder();
        if self.era().agents_in_folder() {
            folder = format!("{folder}/{}/subagents", self.script.head.session);
        }
        if self.era() >= Era::Attachments {
            let (path, meta) = (format!("{folder}/agent-{}.meta.json", agent.id()), agent.meta(&called.id));
            self.bundle.file(path, meta, agent.script.now);
        }
        self.bundle.agent(&folder, agent.script);
    }

    /// 1.0.x: the agent's lines stand in the session, on a side chain of their own.
    fn delegate_inline(&mut self, steps: u64) -> Called {
        let (short, prompt) = self.scribe.errand();
        let input = json::object(|o| {
            o.string("description", &short).string("prompt", &prompt);
        });
        let waiting = Exchange { name: "Task".into(), input, ..Exchange::default() };
        let mut response = self.script.response(self.model, 120, "tool_use");
        let called = self.script.call(&mut response, Place::Last, &waiting);
        let (began, before) = (self.script.now, self.script.truth);
        let parent = self.script.parent.take();
        self.script.sidechain = true;
        let (context, fresh) = (self.script.context, self.script.fresh);
        (self.script.context, self.script.fresh) = (0, 9_000);
        self.script.user(&json::string(&prompt), &[], &[]);
        for _ in 0..steps {
            self.step();
        }
        let report = self.scribe.answer(1);
        self.script.reply(self.model, &report);
        self.script.sidechain = false;
        (self.script.parent, self.script.context, self.script.fresh) = (parent, context, fresh);
        let mut truth = self.script.truth;
        truth.responses -= before.responses;
        truth.tool_calls -= before.tool_calls;
        let errand = Errand {
            agent: "",
            kind: "general-purpose",
            short: &short,
            prompt: &prompt,
            report: &report,
            took_ms: self.script.now - began,
            truth,
            model: None,
        };
        let tool = agents::completed(Era::First, &errand);
        self.script.answer(&called, &tool);
        called
    }
}
