//! The usage of one response, owned.

use std::sync::Arc;

use super::key::ResponseKey;
use super::tokens::Tokens;
use crate::{pack_fields, pack_words};
use annals_json::Text;

/// The service tier of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ServiceTier {
    /// Standard, or not given.
    #[default]
    Standard,
    /// In a batch, at half the price.
    Batch,
    /// Ahead of standard requests, at a price of its own.
    Priority,
    /// An unknown tier.
    Other,
}

impl ServiceTier {
    /// Reads `service_tier`.
    pub fn of(text: Option<Text<'_>>) -> Self {
        match text {
            None => Self::Standard,
            Some(text) if text.is_empty() || text.is("standard") => Self::Standard,
            Some(text) if text.is("batch") => Self::Batch,
            Some(text) if text.is("priority") => Self::Priority,
            Some(_) => Self::Other,
        }
    }
}

/// The speed of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Speed {
    /// Standard, or not given.
    #[default]
    Standard,
    /// Faster, at a higher price.
    Fast,
    /// An unknown speed.
    Other,
}

impl Speed {
    /// Reads `speed`.
    pub fn of(text: Option<Text<'_>>) -> Self {
        match text {
            None => Self::Standard,
            Some(text) if text.is_empty() || text.is("standard") => Self::Standard,
            Some(text) if text.is("fast") => Self::Fast,
            Some(_) => Self::Other,
        }
    }
}

/// A billed model call inside a response that its totals do not include.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SideCall {
    /// The purpose.
    pub kind: SideCallKind,
    /// The model, if the entry names it.
    pub model: Option<Arc<str>>,
    /// What the call was billed for.
    pub tokens: Tokens,
}

/// The purpose of a side call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SideCallKind {
    /// Advice of another model.
    Advisor,
    /// A summary of the conversation before the response.
    Compaction,
}

impl SideCallKind {
    /// Reads the `type` of an entry of `usage.iterations`.
    ///
    /// `message` and `fallback_message` are `None`: the totals include them, or they were refused and not billed. Unknown types
    /// are `None` too: the totals count unless a call is known to be outside them.
    pub fn of(text: Option<Text<'_>>) -> Option<Self> {
        match text {
            Some(text) if text.is("advisor_message") => Some(Self::Advisor),
            Some(text) if text.is("compaction") => Some(Self::Compaction),
            _ => None,
        }
    }
}

/// The usage of a response as given by one of its records.
///
/// Ordered by output first, so that of several readings the greatest is the final one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageReading {
    /// What the record says was used.
    pub tokens: Tokens,
    /// The model that answered, as the API names it.
    pub model: Option<Arc<str>>,
    /// The service tier.
    pub tier: ServiceTier,
    /// The speed of the model.
    pub speed: Speed,
    /// Calls that the totals do not include; rare.
    pub side_calls: Option<Box<[SideCall]>>,
}

/// What one API response was billed for, however many records it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseUsage {
    /// The key of the response.
    pub key: ResponseKey,
    /// Its final reading.
    pub reading: UsageReading,
    /// The time of its first record, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Whether it belongs to a sub-agent, inline (1.0) or in its own file.
    pub is_sidechain: bool,
    /// Whether a fork copied it from another session.
    pub is_copy: bool,
    /// The sub-agent, if named.
    pub agent: Option<Arc<str>>,
    /// Where its first record is: the position that the collector was given, an index or a byte offset.
    pub position: usize,
}

pack_fields! {
    ResponseUsage { key, reading, millis, is_sidechain, is_copy, agent, position }
    UsageReading { tokens, model, tier, speed, side_calls }
    SideCall { kind, model, tokens }
}

pack_words! {
    ServiceTier { Standard, Batch, Priority, Other }
    Speed { Standard, Fast, Other }
    SideCallKind { Advisor, Compaction }
}

impl ResponseUsage {
    /// Adds a later record of the same response: the one with the most output counts, of equals the last; the first known time
    /// stays.
    pub(super) fn update(&mut self, reading: UsageReading, millis: Option<i64>) {
        if reading.tokens.output >= self.reading.tokens.output {
            self.reading = reading;
        }
        self.millis = self.millis.or(millis);
    }

    /// Merges later records of the same response.
    #[must_use]
    pub fn continued(mut self, later: &Self) -> Self {
        self.update(later.reading.clone(), later.millis);
        self
    }

    /// The tokens of the response, with side calls.
    pub fn tokens(&self) -> Tokens {
        self.charges().map(|charge| *charge.tokens).sum()
    }

    /// Iterates over the billed model calls: the response itself, then side calls.
    pub fn charges(&self) -> impl Iterator<Item = Charge<'_>> {
        let reading = &self.reading;
        let main = Charge {
            response: self,
            model: reading.model.as_ref(),
            tokens: &reading.tokens,
            side_call: None,
        };
        let side_calls = reading.side_calls.iter().flatten().map(move |side_call| Charge {
            model: side_call.model.as_ref().or(reading.model.as_ref()),
            tokens: &side_call.tokens,
            side_call: Some(side_call.kind),
            ..main
        });
        std::iter::once(main).chain(side_calls)
    }
}

/// One billed model call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Charge<'a> {
    /// The response that it belongs to.
    pub response: &'a ResponseUsage,
    /// The model that was called, as the API names it.
    pub model: Option<&'a Arc<str>>,
    /// The tokens of the call.
    pub tokens: &'a Tokens,
    /// The purpose of a side call; `None` for the response itself.
    pub side_call: Option<SideCallKind>,
}
