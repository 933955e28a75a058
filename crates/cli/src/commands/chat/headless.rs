//! The turns of a headless conversation, and what is printed of them.

use std::time::Duration;

use annals_agent::protocol::{Commands, Event, TurnEnd};

use super::background::CommandSource;
use super::print::Printer;
use super::{ChatAgent, local};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// Runs commands until there are no more, then waits for what runs in the background.
pub(super) async fn run_turns(
    agent: &mut ChatAgent<'_>,
    commands: &mut Commands,
    printer: &mut Printer,
    wait: Option<Duration>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::Done;
    let (mut source, mut held) = (CommandSource::new(&agent.background, wait), None);
    while let Some(command) = source.next(commands).await {
        let command = source.after_deferred(command, agent)?;
        let mut fault = None;
        let finished = match local::run(agent, &command, &context.prices)? {
            Some(finished) => Some(finished),
            None => {
                let out = &mut context.out;
                let mut report = |event: Event| {
                    if fault.is_none() {
                        fault = printer.print(&event, out).err();
                    }
                };
                agent.handle(command, commands, &mut report).await
            }
        };
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        let Some(finished) = finished else { continue };
        // A turn follows when what runs in the background has ended: its answer is the one that is printed.
        // So is the answer to a prompt that was held back until the calls before it had run.
        let is_last = agent.background.is_idle() && !(source.has_held() && finished.ending == TurnEnd::Done);
        held = Some(finished.clone()).filter(|_| !printer.is_streaming() && !is_last);
        if held.is_none() {
            printer.finish(&finished, agent.conversation.session(), context)?;
        }
        if finished.ending == TurnEnd::Interrupted {
            source.drop_held();
        }
        outcome = match finished.ending {
            TurnEnd::Done | TurnEnd::PromptBlocked(_) => Outcome::Done,
            TurnEnd::Interrupted => Outcome::Interrupted,
            _ => Outcome::Failed,
        };
    }
    if let Some(finished) = held {
        printer.finish(&finished, agent.conversation.session(), context)?;
    }
    Ok(outcome)
}
