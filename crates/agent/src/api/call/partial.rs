//! A response while it streams: its complete blocks, and those that count only if more follow.

use super::super::failure::Failure;
use super::super::stream::{Block, BlockKind, MessageStart, StopInfo, StreamEvent};
use super::super::transport::ResponseHead;
use super::super::usage::Usage;
use super::{ApiResponse, CallProgress, ResponseEnd};

/// An attempt without any complete block.
#[derive(Debug)]
pub(super) struct FailedAttempt {
    pub(super) failure: Failure,
    /// Whether a part of it was displayed.
    pub(super) was_seen: bool,
    /// Whether the model had thought before it broke.
    pub(super) had_thinking: bool,
}

/// A response while it streams.
#[derive(Debug)]
pub(super) struct PartialResponse {
    head: ResponseHead,
    start: Option<MessageStart>,
    usage: Usage,
    stop: Option<StopInfo>,
    blocks: Vec<Block>,
    /// Thinking counts only with a block after it, so that a retry does not leave the thinking of the first attempt
    /// behind.
    lists: Vec<Block>,
}

impl PartialResponse {
    pub(super) fn new(head: ResponseHead) -> Self {
        Self { head, start: None, usage: Usage::default(), stop: None, blocks: vec![], lists: vec![] }
    }

    pub(super) fn take(&mut self, event: StreamEvent, report: &mut (dyn FnMut(CallProgress) + Send)) {
        match event {
            StreamEvent::BlockDone(block) => {
                let stands = !stands_only_with_more(&block);
                self.lists.push(block);
                if stands {
                    self.settle(report);
                }
                return;
            }
            StreamEvent::MessageStart(ref start) => {
                self.usage = start.usage.clone();
                self.start = Some(start.clone());
            }
            StreamEvent::Usage(ref usage) => self.usage = usage.clone(),
            StreamEvent::Stop(ref stop) => self.stop = Some(stop.clone()),
            _ => {}
        }
        report(CallProgress::Event(event));
    }

    fn settle(&mut self, report: &mut (dyn FnMut(CallProgress) + Send)) {
        for block in self.lists.drain(..) {
            report(CallProgress::Block(block.clone()));
            self.blocks.push(block);
        }
    }

    /// Ends a complete message.
    pub(super) fn complete(
        mut self,
        report: &mut (dyn FnMut(CallProgress) + Send),
    ) -> Result<ApiResponse, FailedAttempt> {
        self.settle(report);
        match self.stop.take() {
            Some(stop) => Ok(self.answer(ResponseEnd::Complete(stop))),
            // The reader ends a message only after its stop reason.
            None => self.broken(super::super::stream::StreamError::Unfinished.into()),
        }
    }

    /// Ends a broken stream: complete blocks are kept; without any, the request may be retried.
    pub(super) fn broken(self, failure: Failure) -> Result<ApiResponse, FailedAttempt> {
        if self.blocks.is_empty() {
            let had_thinking = self.lists.iter().any(|block| block.kind.is_thinking());
            return Err(FailedAttempt { failure, was_seen: self.start.is_some(), had_thinking });
        }
        Ok(self.answer(ResponseEnd::Broken(failure)))
    }

    fn answer(self, ended: ResponseEnd) -> ApiResponse {
        let (id, model) = self.start.map_or_else(Default::default, |start| (start.id, start.model));
        ApiResponse { id, model, head: self.head, blocks: self.blocks, usage: self.usage, ended }
    }
}

/// Returns whether a block counts only with more: a message of thinking or blank text alone cannot be sent back.
fn stands_only_with_more(block: &Block) -> bool {
    block.kind.is_thinking() || (block.kind == BlockKind::Text && block.text("text").trim().is_empty())
}
