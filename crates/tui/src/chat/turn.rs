//! A turn on the screen: text and thoughts as they arrive, calls, sub-agents, and what the turn waits for.

use std::time::Instant;

use annals_ui::chat::WorkStatus;
use annals_ui::view::{Conversation, Item};

use super::block::{AnswerSignature, ChatBlock, TextBlock};
use super::call::{AgentStep, CallBlock};
use super::screen::ChatScreen;
use crate::picture::Picture;

impl ChatScreen {
    /// Starts a turn, or other work.
    pub fn start_work(&mut self, what: &str, now: Instant) {
        self.now = now;
        self.work = Some(WorkStatus::new(what, now));
        self.tokens = 0;
    }

    /// Returns the work that is being done, to change what it says.
    pub fn work(&mut self) -> Option<&mut WorkStatus> {
        self.work.as_mut()
    }

    /// Returns whether something is being done, so that time must be told.
    pub fn is_working(&self) -> bool {
        self.work.is_some()
    }

    /// Ends the turn: nothing is open any more.
    pub fn finish_work(&mut self) {
        self.end_thought();
        let options = self.render_options();
        self.log.finish_all(&options);
        self.work = None;
        self.withdraw_all();
    }

    /// Adds tokens that the model wrote.
    pub fn add_tokens(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    /// Starts a text of the model.
    pub fn start_text(&mut self) {
        self.end_thought();
        self.end_text();
        self.log.push(ChatBlock::Text(TextBlock::streaming()));
    }

    /// Adds a piece to the text of the model.
    pub fn add_text(&mut self, piece: &str) {
        let options = self.render_options();
        if self.log.streaming().is_none() {
            self.start_text();
        }
        if let Some(text) = self.log.streaming() {
            text.push(piece, &options);
        }
    }

    /// Ends the text of the model.
    pub fn end_text(&mut self) {
        let options = self.render_options();
        if let Some(text) = self.log.streaming() {
            text.finish(&options);
        }
    }

    /// Adds a piece to what the model thinks.
    pub fn add_thought(&mut self, piece: &str) {
        self.thinking.push_str(piece);
    }

    pub fn end_thought(&mut self) {
        let thought = std::mem::take(&mut self.thinking);
        if !thought.trim().is_empty() {
            self.end_text();
            self.log.push(ChatBlock::Thinking(thought));
        }
    }

    /// Forgets a thought of a response that starts over.
    pub fn drop_thought(&mut self) {
        self.thinking.clear();
    }

    /// Shows a call that starts.
    pub fn start_call(&mut self, call: Conversation) {
        self.end_thought();
        self.end_text();
        for item in call.items {
            self.log.push(ChatBlock::Call(Box::new(CallBlock::started(item))));
        }
    }

    /// Shows the last line of the output of a running call.
    pub fn show_output(&mut self, call: &str, whole: &str) {
        if let Some(call) = self.log.running_call(call) {
            call.set_output(whole);
        }
    }

    /// Shows a call with its result.
    pub fn finish_call(&mut self, id: &str, call: Conversation) {
        self.end_thought();
        self.end_text();
        for item in call.items {
            match self.log.running_call(id) {
                Some(running) => running.finish(item),
                None => self.log.push(ChatBlock::Call(Box::new(CallBlock::stored(item)))),
            }
        }
    }

    /// Shows pictures of a call that has ended, below it.
    pub fn add_call_pictures(&mut self, id: &str, pictures: Vec<Picture>) {
        self.log.add_pictures_of(id, pictures);
        self.view.lay_out_again();
        if let Some(page) = &mut self.page {
            page.view.lay_out_again();
        }
    }

    /// Shows a step of a sub-agent, this many sub-agents deep, below the call that started the outermost.
    pub fn add_step(&mut self, call: &str, depth: usize, step: &Item) {
        if let Some(call) = self.log.running_call(call) {
            call.add_step(depth, step, "");
        }
    }

    /// Shows a step of a sub-agent that was denied, and why.
    pub fn add_denied_step(&mut self, call: &str, depth: usize, step: &Item, why: &str) {
        if let Some(call) = self.log.running_call(call) {
            call.add_step(depth, step, &format!(" · denied: {why}"));
        }
    }

    /// Adds what a sub-agent said and did, for the transcript. The first call of the way to it is one of the conversation.
    pub fn add_agent_items(&mut self, way: &[AgentStep], items: Vec<Item>) {
        if let Some(call) = way.first().and_then(|first| self.log.running_call(&first.call)) {
            call.add_agent_items(way, items);
        }
    }

    /// Adds something that belongs to the conversation and is shown in the transcript alone.
    pub fn add_detail(&mut self, item: Item) {
        self.log.push(ChatBlock::Detail(Box::new(item)));
    }

    /// Says which model gave the last answer, and when.
    pub fn sign_answer(&mut self, signature: AnswerSignature) {
        self.log.sign_answer(signature);
    }

    /// Adds tokens that a sub-agent wrote.
    pub fn add_agent_tokens(&mut self, call: &str, tokens: u64) {
        if let Some(call) = self.log.running_call(call) {
            call.add_tokens(tokens);
        }
    }
}
