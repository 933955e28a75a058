//! Repairs tool calls and results, because the API requires every result right after its call.

use std::collections::HashSet;

use super::api::{ApiBlock, ApiMessage, BlockKind, BlockOrigin, Filler, Role};
use super::omission::{OmissionLog, OmissionReason};
use super::rules::{ClientRules, OrphanRule, PairingRule};
use crate::id::ToolUseId;

/// Makes every result follow its call, and every call have a result.
pub(super) fn repair<'a>(
    messages: Vec<ApiMessage<'a>>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) -> Vec<ApiMessage<'a>> {
    if rules.pairing == PairingRule::CallsOnly {
        return messages;
    }
    let mut repaired: Vec<ApiMessage<'a>> = Vec::with_capacity(messages.len());
    let mut used: HashSet<ToolUseId<'a>> = HashSet::new();
    // The calls of the reply just before, which the next message has to answer.
    let mut open: Vec<ToolUseId<'a>> = Vec::new();
    for mut message in messages {
        match message.role {
            Role::Assistant => {
                answer_missing(&mut repaired, &mut open);
                drop_repeated_calls(&mut message, &mut used, omissions);
                drop_unpaired_server_calls(&mut message, omissions);
                open = calls(&message);
                if message.blocks.is_empty() {
                    message.blocks.push(ApiBlock::filler(Filler::RepeatedCall));
                }
            }
            Role::User => {
                let missing = keep_answers(&mut message, std::mem::take(&mut open), omissions);
                let errors =
                    missing.into_iter().map(|call| ApiBlock::error_result(Filler::MissingResult, call));
                message.blocks.splice(0..0, errors);
                if message.blocks.is_empty() {
                    let filler = match rules.orphan_at_start {
                        OrphanRule::Dropped if repaired.is_empty() => continue,
                        OrphanRule::Named if repaired.is_empty() => Filler::OrphanedResult,
                        OrphanRule::Dropped | OrphanRule::Named => Filler::NoContent,
                    };
                    message.blocks.push(ApiBlock::filler(filler));
                }
            }
        }
        repaired.push(message);
    }
    answer_missing(&mut repaired, &mut open);
    repaired
}

fn calls<'a>(message: &ApiMessage<'a>) -> Vec<ToolUseId<'a>> {
    let call = |block: &ApiBlock<'a>| match block.kind {
        BlockKind::Call(id) => Some(id),
        _ => None,
    };
    message.blocks.iter().filter_map(call).collect()
}

/// Adds a message of error results for calls without one.
fn answer_missing<'a>(repaired: &mut Vec<ApiMessage<'a>>, open: &mut Vec<ToolUseId<'a>>) {
    if !open.is_empty() {
        let errors = open.drain(..).map(|call| ApiBlock::error_result(Filler::MissingResult, call)).collect();
        repaired.push(ApiMessage { role: Role::User, blocks: errors });
    }
}

fn drop_repeated_calls<'a>(
    message: &mut ApiMessage<'a>,
    used: &mut HashSet<ToolUseId<'a>>,
    omissions: &mut OmissionLog,
) {
    message.blocks.retain(|block| match block.kind {
        BlockKind::Call(id) if !used.insert(id) => {
            note(block, OmissionReason::RepeatedCall, omissions);
            false
        }
        _ => true,
    });
}

fn drop_unpaired_server_calls(message: &mut ApiMessage<'_>, omissions: &mut OmissionLog) {
    let results = message.blocks.iter().filter_map(|block| match block.kind {
        BlockKind::ServerResult(id) => Some(id),
        _ => None,
    });
    let answered: HashSet<_> = results.collect();
    message.blocks.retain(|block| match block.kind {
        BlockKind::ServerCall(id) if !answered.contains(&id) => {
            note(block, OmissionReason::UnansweredServerCall, omissions);
            false
        }
        _ => true,
    });
}

/// Keeps one result for each of these calls and nothing else; returns the calls without one.
fn keep_answers<'a>(
    message: &mut ApiMessage<'a>,
    open: Vec<ToolUseId<'a>>,
    omissions: &mut OmissionLog,
) -> Vec<ToolUseId<'a>> {
    let asked: HashSet<_> = open.iter().copied().collect();
    let mut answered = HashSet::new();
    message.blocks.retain(|block| match block.kind {
        BlockKind::Result(id) if !asked.contains(&id) => {
            note(block, OmissionReason::ResultWithoutCall, omissions);
            false
        }
        BlockKind::Result(id) if !answered.insert(id) => {
            note(block, OmissionReason::RepeatedResult, omissions);
            false
        }
        _ => true,
    });
    open.into_iter().filter(|call| !answered.contains(call)).collect()
}

fn note(block: &ApiBlock<'_>, reason: OmissionReason, omissions: &mut OmissionLog) {
    if let BlockOrigin::Record(index) = block.origin {
        omissions.note(index, reason);
    }
}
