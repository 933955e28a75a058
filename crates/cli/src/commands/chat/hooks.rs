//! Hooks of settings files and front matter in a conversation: which there are, what their handlers need, and the end of a session.

use std::sync::Arc;

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::api::client::Client;
use annals_agent::commands::CustomCommand;
use annals_agent::hook_handlers::{HandlerContext, Judge, JudgeFuture, register, register_for};
use annals_agent::hooks::{HookDefinition, HookDefinitions, HookEvent, HookOwner};
use annals_agent::one_shot::OneShot;
use annals_agent::plugin::Plugin;
use annals_agent::protocol::{Approver, Event};
use annals_agent::subagent::AgentDefinition;
use annals_agent::tools::bash::Shells;
use annals_agent::turn::SessionExit;
use annals_json::Value;
use annals_policy::rules::SettingsSource;
use annals_policy::screen::visible;
use annals_store::SessionKey;

use super::setup::Setup;
use super::start::entrypoint;
use super::{ChatAgent, ChatApp, plugins};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::source::SystemSource;
use crate::stderr;

/// The variable that says how often hooks may keep a turn from ending.
const CAP_VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

#[derive(Default)]
pub(super) struct ConfiguredHooks {
    /// Those of settings.
    pub(super) settings: Vec<HookDefinition>,
    /// Those in the front matter of sub-agents, commands and skills.
    owned: Vec<(HookOwner, Vec<HookDefinition>)>,
    /// Those of plugins.
    of_plugins: Vec<(Plugin, Vec<HookDefinition>)>,
}

impl ConfiguredHooks {
    /// Reads the hooks; what cannot work is reported.
    pub(super) fn read(
        setup: &Setup,
        (kinds, custom, plugins): (&[AgentDefinition], &[CustomCommand], &[Plugin]),
        args: &ChatArgs,
        context: &Context,
    ) -> Self {
        let mut read = HookDefinitions::default();
        for hooks in &setup.effective.hooks {
            read.add(hooks.json.value(), hooks.source, &hooks.path.display().to_string());
        }
        let (mut owned, mut of_plugins) = (Vec::new(), Vec::new());
        // What switches off hooks means these, too.
        if !setup.effective.has_only_managed_hooks {
            let of_kinds = kinds.iter().map(|kind| {
                (HookOwner::Agent(kind.name.clone()), format!("agent {}", kind.name), &kind.hooks)
            });
            let of_custom = custom.iter().map(|command| {
                (HookOwner::Skill(command.name.clone()), format!("/{}", command.name), &command.hooks)
            });
            for (owner, name, json) in of_kinds.chain(of_custom) {
                let Some(json) = json else { continue };
                let mut own = HookDefinitions::default();
                own.add(Value::from_checked(json), SettingsSource::User, &name);
                read.problems.extend(own.problems);
                let is_agent = matches!(owner, HookOwner::Agent(_));
                // A sub-agent has begun when its own hooks are asked.
                let is_late = |hook: &HookDefinition| is_agent && hook.event == HookEvent::SubagentStart;
                if own.list.iter().any(is_late) {
                    read.problems.push(format!("{name}: its own hooks for SubagentStart are never called"));
                }
                own.list.retain(|hook| !is_late(hook));
                owned.push((owner, own.list));
            }
        }
        for plugin in plugins.iter().filter(|_| !setup.effective.has_only_managed_hooks) {
            let mut own = HookDefinitions::default();
            for (path, json) in &plugin.hooks {
                own.add(Value::from_checked(json), SettingsSource::User, &path.display().to_string());
            }
            read.problems.extend(own.problems);
            if !own.list.is_empty() {
                of_plugins.push((plugin.clone(), own.list));
            }
        }
        if args.ignore_hooks {
            if !read.list.is_empty() || !owned.is_empty() || !of_plugins.is_empty() {
                let option = if args.bare { "--bare" } else { "--ignore-hooks" };
                context.say(format!(
                    "hooks of settings, front matter and plugins are not run, because of {option}"
                ));
            }
            return Self::default();
        }
        for problem in &read.problems {
            context.say(visible(problem));
        }
        Self { settings: read.list, owned, of_plugins }
    }
}

impl ConfiguredHooks {
    /// Returns the hooks that are not of settings, by whose they are.
    pub(super) fn beside_settings(&self) -> impl Iterator<Item = (String, &[HookDefinition])> {
        let owned = self.owned.iter().map(|(owner, hooks)| {
            let owner = match owner {
                HookOwner::Agent(name) => format!("sub-agent {name}"),
                HookOwner::Skill(name) => format!("/{name}"),
            };
            (owner, hooks.as_slice())
        });
        let of_plugins = self
            .of_plugins
            .iter()
            .map(|(plugin, hooks)| (format!("plugin {}", plugin.name), hooks.as_slice()));
        owned.chain(of_plugins).filter(|(_, hooks)| !hooks.is_empty())
    }
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
        let handlers = Arc::new(self.handlers(agent, shells, args, context));
        register(&agent.hooks, (&self.hooks.settings[..], 0), &handlers);
        let mut first = self.hooks.settings.len();
        for (owner, definitions) in &self.hooks.owned {
            register_for(&agent.hooks, owner, (&definitions[..], first), &handlers);
            first += definitions.len();
        }
        for (plugin, definitions) in &self.hooks.of_plugins {
            let handlers = Arc::new(plugins::handlers(plugin, &self.config, &handlers));
            register(&agent.hooks, (&definitions[..], first), &handlers);
            first += definitions.len();
        }
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
            servers: self.mcp.servers.clone(),
            plugin: None,
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
