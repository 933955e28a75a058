//! Messages that are not said: they are answered in their place between the prompts, without the conversation.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll};

use annals_agent::command::Command;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::prompt::Refusal;

/// One that was refused.
struct Refused {
    /// How many prompts stand before it.
    after: usize,
    why: Refusal,
}

/// Where they are told; it counts the prompts between them.
pub(super) struct Refuse {
    sender: UnboundedSender<Refused>,
    prompts: usize,
}

/// Where they are heard.
pub(super) struct Refusals {
    receiver: UnboundedReceiver<Refused>,
    waiting: Option<Refused>,
    /// How many prompts were passed on.
    passed: usize,
}

/// What is to be done next.
pub(super) enum Next {
    Command(Option<Command>),
    Refused(Refusal),
}

impl Refuse {
    /// A prompt was given.
    pub(super) fn pass(&mut self) {
        self.prompts += 1;
    }

    pub(super) fn refuse(&self, why: Refusal) {
        // Where nobody listens any more, nobody answers.
        let _ = self.sender.send(Refused { after: self.prompts, why });
    }
}

impl Refusals {
    /// Both ends.
    pub(super) fn channel() -> (Refuse, Self) {
        let (sender, receiver) = unbounded_channel();
        (Refuse { sender, prompts: 0 }, Self { receiver, waiting: None, passed: 0 })
    }

    /// A prompt is answered from here on.
    pub(super) fn pass(&mut self) {
        self.passed += 1;
    }

    /// One whose turn it is, of those that were told.
    pub(super) fn at_once(&mut self) -> Option<Refusal> {
        self.waiting = self.waiting.take().or_else(|| self.receiver.try_recv().ok());
        self.due()
    }

    fn due(&mut self) -> Option<Refusal> {
        let passed = self.passed;
        self.waiting.take_if(|refused| refused.after <= passed).map(|refused| refused.why)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Refusal> {
        if self.waiting.is_none()
            && let Poll::Ready(Some(refused)) = self.receiver.poll_recv(context)
        {
            self.waiting = Some(refused);
        }
        self.due().map_or(Poll::Pending, Poll::Ready)
    }

    /// The next command, or one of these where it comes before.
    pub(super) async fn or(&mut self, command: impl Future<Output = Option<Command>>) -> Next {
        let mut command = pin!(command);
        std::future::poll_fn(|context| {
            if let Poll::Ready(why) = self.poll(context) {
                return Poll::Ready(Next::Refused(why));
            }
            command.as_mut().poll(context).map(Next::Command)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_waits_for_its_place_between_the_prompts() {
        let (mut refuse, mut refusals) = Refusals::channel();
        refuse.refuse(Refusal::Nothing);
        refuse.pass();
        refuse.refuse(Refusal::NoBlock(1));
        refuse.refuse(Refusal::NoBlock(2));
        assert_eq!([refusals.at_once(), refusals.at_once()], [Some(Refusal::Nothing), None]);
        refusals.pass();
        let rest = [refusals.at_once(), refusals.at_once(), refusals.at_once()];
        assert_eq!(rest, [Some(Refusal::NoBlock(1)), Some(Refusal::NoBlock(2)), None]);
    }
}
