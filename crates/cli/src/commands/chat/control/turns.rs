//! The turns of a conversation that a program drives.

use std::time::Duration;

use annals_agent::protocol::{Command, Commands, Event, Prompt, TurnEnd, TurnReport};
use annals_store::source::new_uuid;
use tokio::sync::watch;

use super::super::background::CommandSource;
use super::super::print::Printer;
use super::super::refusals::{NextInput, RefusalReceiver};
use super::super::{ChatAgent, hooks, input, local};
use super::channel::ControlChannel;
use super::view::SessionView;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::source::SystemSource;

/// Runs turns and prints what they report.
pub(super) struct TurnLoop<'t, 'a> {
    pub(super) agent: &'t mut ChatAgent<'a>,
    pub(super) printer: &'t mut Printer,
    pub(super) view: SessionView,
    pub(super) channel: ControlChannel,
    /// Whether the program wants to be told when the session is idle.
    pub(super) is_telling: bool,
    /// How long to wait at the end for what runs in the background.
    pub(super) wait: Option<Duration>,
    /// Whether the program was told that a turn runs.
    pub(super) is_told_running: bool,
}

impl TurnLoop<'_, '_> {
    /// Runs commands until there are no more.
    pub(super) async fn run(
        mut self,
        commands: &mut Commands,
        refusals: &mut RefusalReceiver,
        mut is_ready: watch::Receiver<bool>,
        context: &mut Context,
    ) -> Result<Outcome, Fault> {
        let mut outcome = Outcome::Done;
        let mut source = CommandSource::new(&self.agent.background, self.wait);
        loop {
            let command = match refusals.or(source.next(commands)).await {
                NextInput::Refused(why) => {
                    outcome = Outcome::Failed;
                    self.printer.refuse(&why, context)?;
                    continue;
                }
                NextInput::Command(command) => command,
            };
            // Earlier messages are answered first.
            while let Some(why) = refusals.try_next() {
                outcome = Outcome::Failed;
                self.printer.refuse(&why, context)?;
            }
            let Some(command) = command else {
                if self.is_told_running {
                    self.tell("idle");
                }
                hooks::end(self.agent, context.verbosity).await;
                return Ok(outcome);
            };
            if !input::is_turn(&command) {
                self.agent.handle(command, commands, &mut |_| {}).await;
                continue;
            }
            let command = source.after_deferred(command, self.agent)?;
            if !matches!(command, Command::Prompt(Prompt::Notification(_)) | Command::RunDeferred) {
                refusals.pass();
            }
            // Servers of the program offer tools from the first turn on. The sender lives as long as requests are served.
            let _ = is_ready.wait_for(|is_ready| *is_ready).await;
            self.agent.mcp.settle().await;
            self.view.update(self.agent, true)?;
            self.tell("running");
            self.printer.begin(self.agent, &mut context.out)?;
            let finished = self.turn(command, commands, refusals, context).await?;
            let Some(finished) = finished else { continue };
            self.printer.finish(&finished, self.agent.conversation.session(), context)?;
            let is_idle = commands.is_empty() && !source.has_held();
            self.view.update(self.agent, !is_idle)?;
            if is_idle {
                self.tell("idle");
            }
            outcome = match finished.ending {
                TurnEnd::Done | TurnEnd::PromptBlocked(_) => Outcome::Done,
                _ => Outcome::Failed,
            };
        }
    }

    async fn turn(
        &mut self,
        command: Command,
        commands: &mut Commands,
        refusals: &mut RefusalReceiver,
        context: &mut Context,
    ) -> Result<Option<TurnReport>, Fault> {
        if let Some(finished) = local::run(self.agent, &command, &context.prices)? {
            return Ok(Some(finished));
        }
        let mut fault = None;
        let finished = {
            let (printer, out) = (&mut *self.printer, &mut context.out);
            let mut report = |event: Event| {
                if matches!(event, Event::Absorbed(_)) {
                    // It has no turn of its own.
                    refusals.pass();
                }
                if fault.is_none() {
                    fault = printer.print(&event, out).err();
                }
            };
            self.agent.handle(command, commands, &mut report).await
        };
        match fault {
            Some(fault) => Err(fault.into()),
            None => Ok(finished),
        }
    }

    /// Tells the program what the session does.
    fn tell(&mut self, state: &str) {
        self.is_told_running = state == "running";
        if !self.is_telling {
            return;
        }
        // If the program does not read any more, the next frame says so.
        let _ = self.channel.write(|frame| {
            frame.string("type", "system").string("subtype", "session_state_changed").string("state", state);
            frame.boolean("sdk_host_only", true).string("session_id", &self.view.get().session);
            frame.string("uuid", &new_uuid(&SystemSource));
        });
    }
}
