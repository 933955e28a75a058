//! A model that is asked something outside of any conversation.

use annals_agent::api::call::{Caller, Manner};
use annals_agent::nested::Nested;
use annals_agent::turn::tokens;
use annals_transcript::usage::{ServiceTier, Speed, Tokens};

use super::{access, model, setup};
use crate::context::Context;
use crate::error::Fault;
use crate::words;

/// A summary, and what it took.
pub(crate) struct Summed {
    pub(crate) text: String,
    /// Who wrote it and what it cost, in a line.
    pub(crate) bill: String,
}

/// Has a model sum up these words. The key and the address are the person's, never a project's.
pub(crate) fn sum_up(name: &str, material: &str, context: &Context) -> Result<Summed, Fault> {
    let client = access::client(&setup::of_person(context), context)?;
    let caller = Caller { transport: &client, surroundings: &context.source, manner: Manner::default() };
    let nested = Nested { caller, model: model::named(name) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(format!("no runtime: {error}")))?;
    let reply = runtime.block_on(nested.summary(material)).map_err(|why| {
        Fault::nothing_found(format!("{} gave no summary: {why}", nested.model))
            .hint("nothing was changed; without --model the summary is made here")
    })?;
    let spent: Tokens = reply.usage.iter().map(tokens).sum();
    let cost = context.prices.cost(&spent, &reply.model, ServiceTier::Standard, Speed::Standard);
    let cost = cost.usd().map_or_else(String::new, |usd| format!(", {}", words::dollars(usd.dollars())));
    let read = words::count(spent.input + spent.cache_read + spent.cache_write());
    let wrote = words::count(spent.output);
    let bill = format!("{} wrote the summary: {read} tokens read, {wrote} written{cost}", reply.model);
    Ok(Summed { text: reply.said, bill })
}
