//! Summaries by a model, outside any conversation.

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::one_shot::OneShot;
use annals_agent::protocol::tokens;
use annals_transcript::usage::{ServiceTier, Speed, Tokens};

use super::model::ModelNames;
use super::{access, setup};
use crate::context::Context;
use crate::error::Fault;
use crate::words;

/// A summary and its cost.
pub(crate) struct ModelSummary {
    pub(crate) text: String,
    /// The model and the cost, in one line.
    pub(crate) bill: String,
}

/// Requests a summary from a model. Key and address come from the user's settings, never from a project's.
pub(crate) fn summarize(name: &str, material: &str, context: &Context) -> Result<ModelSummary, Fault> {
    let settings = setup::of_person(context);
    let client = access::client(&settings, context)?;
    let caller = Caller { transport: &client, clock: &context.source, retry: RetryOptions::default() };
    let nested = OneShot { caller, model: ModelNames::new(&settings, context).named(name) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))?;
    let reply = runtime.block_on(nested.summary(material)).map_err(|why| {
        Fault::system(format!("no summary from {}: {why}", nested.model))
            .hint("nothing was changed; without --model the summary is made locally")
    })?;
    let spent: Tokens = reply.usage.iter().map(tokens).sum();
    let cost = context.prices.cost(&spent, &reply.model, ServiceTier::Standard, Speed::Standard);
    let cost = cost.usd().map_or_else(String::new, |usd| format!(", {}", words::dollars(usd.dollars())));
    let read = words::count(spent.input + spent.cache_read + spent.cache_write());
    let wrote = words::count(spent.output);
    let bill = format!("{} wrote the summary: {read} tokens read, {wrote} written{cost}", reply.model);
    Ok(ModelSummary { text: reply.said, bill })
}
