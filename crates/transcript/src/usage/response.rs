//! What one response used, owned and small: it outlives the file that it was read from.

use std::sync::Arc;

use super::key::ResponseKey;
use super::tokens::Tokens;
use crate::transcript::NodeIndex;
use crate::{pack_fields, pack_words};
use annals_json::Text;

/// How the API queued the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ServiceTier {
    /// As usual, or not said.
    #[default]
    Standard,
    /// In a batch, at half the price.
    Batch,
    /// With priority.
    Priority,
    /// A tier that annals does not know.
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

/// How fast the model ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speed {
    /// As usual, or not said.
    #[default]
    Standard,
    /// Faster, at a higher price.
    Fast,
    /// A speed that annals does not know.
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

/// A model call inside a response that is billed but that the response's totals leave out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Aside {
    /// What the call was for.
    pub kind: AsideKind,
    /// The model, where the entry names it.
    pub model: Option<Arc<str>>,
    /// What it used.
    pub tokens: Tokens,
}

/// What a call beside the response was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AsideKind {
    /// Another model was asked for advice.
    Advisor,
    /// The API summarised the conversation before it answered.
    Compaction,
}

impl AsideKind {
    /// Reads the `type` of an entry of `usage.iterations`.
    ///
    /// `message` and `fallback_message` are `None`: those that served the response are in its totals, and an attempt
    /// that was refused is not billed. So is every type that annals does not know: the totals count unless something
    /// is known to be outside them.
    pub fn of(text: Option<Text<'_>>) -> Option<Self> {
        match text {
            Some(text) if text.is("advisor_message") => Some(Self::Advisor),
            Some(text) if text.is("compaction") => Some(Self::Compaction),
            _ => None,
        }
    }
}

/// The numbers of a response, as one of its lines gives them.
///
/// Ordered by output first, so that of several readings the greatest is the final one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// What the response used.
    pub tokens: Tokens,
    /// The model that answered.
    pub model: Option<Arc<str>>,
    /// How the request was queued.
    pub tier: ServiceTier,
    /// How fast the model ran.
    pub speed: Speed,
    /// Calls that the totals leave out; nearly always none.
    pub asides: Option<Box<[Aside]>>,
}

/// What one response used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseUsage {
    /// Which response.
    pub key: ResponseKey,
    /// Its numbers.
    pub reading: Reading,
    /// When its first line was written, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Whether a sub-agent asked, inline (1.0) or in its own file.
    pub is_sidechain: bool,
    /// Whether its first line says that a fork copied it from another session.
    pub is_copy: bool,
    /// The sub-agent, where the line names it.
    pub agent: Option<Arc<str>>,
    /// Its first line.
    pub node: NodeIndex,
}

pack_fields! {
    ResponseUsage { key, reading, millis, is_sidechain, is_copy, agent, node }
    Reading { tokens, model, tier, speed, asides }
    Aside { kind, model, tokens }
}

pack_words! {
    ServiceTier { Standard, Batch, Priority, Other }
    Speed { Standard, Fast, Other }
    AsideKind { Advisor, Compaction }
}

impl ResponseUsage {
    /// Takes a later line of the same response: the one with the most output counts, and of equals the last; the first time
    /// that is known is its time.
    pub(super) fn go_on(&mut self, reading: Reading, millis: Option<i64>) {
        if reading.tokens.output >= self.reading.tokens.output {
            self.reading = reading;
        }
        self.millis = self.millis.or(millis);
    }

    /// The response with what later lines of the same file say of it.
    #[must_use]
    pub fn continued(mut self, later: &Self) -> Self {
        self.go_on(later.reading.clone(), later.millis);
        self
    }

    /// What the response used, calls beside it included.
    pub fn tokens(&self) -> Tokens {
        self.charges().map(|charge| *charge.tokens).sum()
    }

    /// Each model call that is billed: the response itself, then the calls beside it.
    pub fn charges(&self) -> impl Iterator<Item = Charge<'_>> {
        let reading = &self.reading;
        let main =
            Charge { response: self, model: reading.model.as_ref(), tokens: &reading.tokens, aside: None };
        let asides = reading.asides.iter().flatten().map(move |aside| Charge {
            model: aside.model.as_ref().or(reading.model.as_ref()),
            tokens: &aside.tokens,
            aside: Some(aside.kind),
            ..main
        });
        std::iter::once(main).chain(asides)
    }
}

/// One billed model call.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'a> {
    /// The response that it belongs to.
    pub response: &'a ResponseUsage,
    /// The model.
    pub model: Option<&'a Arc<str>>,
    /// What the call used.
    pub tokens: &'a Tokens,
    /// What it was for, where it is not the response itself.
    pub aside: Option<AsideKind>,
}
