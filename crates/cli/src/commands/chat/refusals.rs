//! Messages that are refused: they are answered in order with the prompts.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll};

use annals_agent::protocol::Command;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::prompt::Refusal;

/// A refusal that waits for its turn.
struct QueuedRefusal {
    /// The number of prompts before it.
    after: usize,
    why: Refusal,
}

/// Sends refusals, and counts the prompts between them.
pub(super) struct RefusalSender {
    sender: UnboundedSender<QueuedRefusal>,
    prompts: usize,
}

/// Receives refusals.
pub(super) struct RefusalReceiver {
    receiver: UnboundedReceiver<QueuedRefusal>,
    waiting: Option<QueuedRefusal>,
    /// How many prompts were handled.
    passed: usize,
}

/// The input to handle next.
pub(super) enum NextInput {
    Command(Option<Command>),
    Refused(Refusal),
}

impl RefusalSender {
    /// Counts a prompt.
    pub(super) fn pass(&mut self) {
        self.prompts += 1;
    }

    pub(super) fn refuse(&self, why: Refusal) {
        // Without a receiver there is nothing to answer.
        let _ = self.sender.send(QueuedRefusal { after: self.prompts, why });
    }
}

impl RefusalReceiver {
    /// Creates a connected pair.
    pub(super) fn channel() -> (RefusalSender, Self) {
        let (sender, receiver) = unbounded_channel();
        (RefusalSender { sender, prompts: 0 }, Self { receiver, waiting: None, passed: 0 })
    }

    /// Counts a prompt that is handled from here on.
    pub(super) fn pass(&mut self) {
        self.passed += 1;
    }

    /// Returns the next refusal if its turn has come, without waiting.
    pub(super) fn try_next(&mut self) -> Option<Refusal> {
        self.waiting = self.waiting.take().or_else(|| self.receiver.try_recv().ok());
        self.due()
    }

    fn due(&mut self) -> Option<Refusal> {
        let passed = self.passed;
        self.waiting.take_if(|queued| queued.after <= passed).map(|queued| queued.why)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Refusal> {
        if self.waiting.is_none()
            && let Poll::Ready(Some(queued)) = self.receiver.poll_recv(context)
        {
            self.waiting = Some(queued);
        }
        self.due().map_or(Poll::Pending, Poll::Ready)
    }

    /// Returns the next command, or a refusal that comes before it.
    pub(super) async fn or(&mut self, command: impl Future<Output = Option<Command>>) -> NextInput {
        let mut command = pin!(command);
        std::future::poll_fn(|context| {
            if let Poll::Ready(why) = self.poll(context) {
                return Poll::Ready(NextInput::Refused(why));
            }
            command.as_mut().poll(context).map(NextInput::Command)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_waits_for_its_place_between_the_prompts() {
        let (mut refuse, mut refusals) = RefusalReceiver::channel();
        refuse.refuse(Refusal::Nothing);
        refuse.pass();
        refuse.refuse(Refusal::NoBlock(1));
        refuse.refuse(Refusal::NoBlock(2));
        let refused = Some;
        assert_eq!([refusals.try_next(), refusals.try_next()], [refused(Refusal::Nothing), None]);
        refusals.pass();
        let rest = [refusals.try_next(), refusals.try_next(), refusals.try_next()];
        assert_eq!(rest, [refused(Refusal::NoBlock(1)), refused(Refusal::NoBlock(2)), None]);
    }
}
