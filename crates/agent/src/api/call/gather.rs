//! What is kept of a stream while it runs: the blocks that stand, and those that stand only if more follows.

use super::super::failure::Failure;
use super::super::stream::{Block, BlockKind, Event, MessageStart, Stop};
use super::super::transport::Head;
use super::super::usage::Usage;
use super::{Answer, Ended, Progress};

/// A try that left nothing to keep.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) failure: Failure,
    /// Whether something of it was shown.
    pub(super) was_seen: bool,
    /// Whether the model had thought before it broke.
    pub(super) had_thought: bool,
}

/// The response as far as it has come.
#[derive(Debug)]
pub(super) struct Gathered {
    head: Head,
    start: Option<MessageStart>,
    usage: Usage,
    stop: Option<Stop>,
    blocks: Vec<Block>,
    /// Thinking is worth nothing by itself: it is settled by what follows it, so that a second try does not leave the
    /// thoughts of the first behind.
    held: Vec<Block>,
}

impl Gathered {
    pub(super) fn new(head: Head) -> Self {
        Self { head, start: None, usage: Usage::default(), stop: None, blocks: vec![], held: vec![] }
    }

    pub(super) fn take(&mut self, event: Event, report: &mut (dyn FnMut(Progress) + Send)) {
        match event {
            Event::BlockDone(block) => {
                let stands = !stands_only_with_more(&block);
                self.held.push(block);
                if stands {
                    self.settle(report);
                }
                return;
            }
            Event::MessageStart(ref start) => {
                self.usage = start.usage.clone();
                self.start = Some(start.clone());
            }
            Event::Usage(ref usage) => self.usage = usage.clone(),
            Event::Stop(ref stop) => self.stop = Some(stop.clone()),
            _ => {}
        }
        report(Progress::Event(event));
    }

    fn settle(&mut self, report: &mut (dyn FnMut(Progress) + Send)) {
        for block in self.held.drain(..) {
            report(Progress::Block(block.clone()));
            self.blocks.push(block);
        }
    }

    /// The message came to its end.
    pub(super) fn complete(mut self, report: &mut (dyn FnMut(Progress) + Send)) -> Result<Answer, Tried> {
        self.settle(report);
        match self.stop.take() {
            Some(stop) => Ok(self.answer(Ended::Complete(stop))),
            // A reader says that a message is whole only after its reason.
            None => self.broken(super::super::stream::StreamFault::Unfinished.into()),
        }
    }

    /// It did not: what stands is kept, and where nothing does the request may be sent again.
    pub(super) fn broken(self, failure: Failure) -> Result<Answer, Tried> {
        if self.blocks.is_empty() {
            let had_thought = self.held.iter().any(|block| block.kind.is_thinking());
            return Err(Tried { failure, was_seen: self.start.is_some(), had_thought });
        }
        Ok(self.answer(Ended::Broken(failure)))
    }

    fn answer(self, ended: Ended) -> Answer {
        let (id, model) = self.start.map_or_else(Default::default, |start| (start.id, start.model));
        Answer { id, model, head: self.head, blocks: self.blocks, usage: self.usage, ended }
    }
}

/// Thinking, and text that says nothing: a message of those alone could not even be sent back.
fn stands_only_with_more(block: &Block) -> bool {
    block.kind.is_thinking() || (block.kind == BlockKind::Text && block.text("text").trim().is_empty())
}
