//! Hooks of settings files in a conversation: which there are, what their handlers need, and the end of a session.

use std::sync::Arc;

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::api::client::Client;
use annals_agent::hook_handlers::{HandlerContext, Judge, JudgeFuture, register};
use annals_agent::hooks::{HookDefinition, HookDefinitions};
use annals_agent::one_shot::OneShot;
use annals_agent::protocol::{Approver, Event};
use annals_agent::tools::bash::Shells;
use annals_agent::turn::SessionExit;
use annals_policy::screen::visible;
use annals_store::SessionKey;

use super::setup::Setup;
use super::{ChatAgent, ChatApp, entrypoint};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::source::SystemSource;
use crate::stderr;

/// The variable that says how often hooks may keep a turn from ending.
const CAP_VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Reads the hooks of settings; what cannot work is reported.
pub(super) fn read(setup: &Setup, args: &ChatArgs, context: &Context) -> Vec<HookDefinition> {
    let mut read = HookDefinitions::default();
    for hooks in &setup.effective.hooks {
        read.add(hooks.json.value(), hooks.source, &hooks.path.display().to_string());
    }
    if args.ignore_hooks {
        if !read.list.is_empty() {
            context.say("hooks of settings are not run, because of --ignore-hooks");
        }
        return Vec::new();
    }
    for problem in &read.problems {
        context.say(visible(problem));
    }
    read.list
}

impl ChatApp {
    /// Connects a conversation with the hooks of settings.
    pub(super) fn add_hooks(
        &self,
        agent: &mut ChatAgent<'_>,
        shells: &Arc<Shells>,
        args: &ChatArgs,
        context: &Context,
    ) {
        let handlers = self.handlers(agent, shells, args, context);
        register(&agent.hooks, &self.hooks, &Arc::new(handlers));
        let cap = self.setup.variable(context, CAP_VARIABLE).and_then(|cap| cap.parse().ok());
        agent.max_stop_blocks = cap.unwrap_or(agent.max_stop_blocks);
    }

    /// Returns what handlers of a conversation share.
    pub(super) fn handlers(
        &self,
        agent: &ChatAgent<'_>,
        shells: &Arc<Shells>,
        args: &ChatArgs,
        context: &Context,
    ) -> HandlerContext {
        let session = agent.conversation.session().to_owned();
        let is_attended = agent.turn_config.approver == Approver::Person && !args.is_headless();
        let entry = if args.is_headless() { entrypoint(context) } else { "cli".to_owned() };
        let judge = ModelJudge {
            client: self.client.clone(),
            model: agent.turn_config.model.clone(),
            name: Box::new({
                let models = self.setup.models.clone();
                move |name| models.named(name)
            }),
        };
        HandlerContext {
            shells: Arc::clone(shells),
            project: self.setup.cwd.clone(),
            variables: vec![
                ("CLAUDE_CODE_SESSION_ID".to_owned(), session.clone()),
                ("CLAUDE_CODE_CHILD_SESSION".to_owned(), "1".to_owned()),
                ("CLAUDE_CODE_SESSION_ATTENDED".to_owned(), u8::from(is_attended).to_string()),
                ("CLAUDE_CODE_ENTRYPOINT".to_owned(), entry),
                ("CLAUDE_PID".to_owned(), std::process::id().to_string()),
            ],
            session_env: (!args.no_session_persistence)
                .then(|| self.config.session_env(&SessionKey::new(session.as_str()))),
            environment: context.variables.clone(),
            judge: Some(Arc::new(judge)),
        }
    }
}

/// Asks the model of the session, or another one, for hooks.
struct ModelJudge {
    client: Client,
    model: String,
    /// Returns the full name of a model.
    name: Box<dyn Fn(&str) -> String + Send + Sync>,
}

impl Judge for ModelJudge {
    fn ask<'j>(&'j self, question: &'j str, model: Option<&'j str>) -> JudgeFuture<'j> {
        Box::pin(async move {
            let model = model.map_or_else(|| self.model.clone(), |name| (self.name)(name));
            let caller =
                Caller { transport: &self.client, clock: &SystemSource, retry: RetryOptions::default() };
            OneShot { caller, model }.judgement(question).await
        })
    }
}

/// Tells hooks that a session without a terminal ends.
pub(super) async fn end(agent: &mut ChatAgent<'_>, verbosity: i8) {
    let mut report = |event: Event| {
        if let Event::Notice(notice) = event
            && verbosity >= 0
        {
            stderr::say(format_args!("annals: {notice}"));
        }
    };
    agent.end(SessionExit::Other, &mut report).await;
}
