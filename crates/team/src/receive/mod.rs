//! Takes what machines send that have a token and no login of the engine. Nothing is kept here but counts: any number of receivers
//! can run side by side.

mod body;

mod group;
mod write_queue;

use std::sync::{Mutex, PoisonError};

use annals_collect::{Batch, SentItem};
use annals_transcript::price::Prices;

use self::body::{BodyError, read_body};
use self::group::{SentBatches, WriteOutcome, write_group};
use self::write_queue::WriteQueue;
use crate::access::{AccessError, RateLimiter, TokenChecker};
use crate::query::{TokenKind, TokenOwner};
use crate::wire::{Engine, EngineError};

/// What a receiver takes on.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveLimits {
    /// The most bytes of a body once it is unpacked.
    pub body: u64,
    /// How many requests a machine may send a minute.
    pub per_minute: u32,
}

impl Default for ReceiveLimits {
    fn default() -> Self {
        Self { body: 128 * 1024 * 1024, per_minute: 600 }
    }
}

/// What a request says before its body.
#[derive(Clone, Debug, Default)]
pub struct ReceiveHead {
    /// The bearer token.
    pub token: Option<String>,
    /// The address that it came from.
    pub sender: String,
    /// `Content-Encoding`
    pub encoding: Option<String>,
    /// `Content-Type`
    pub content_type: Option<String>,
    /// `Annals-Rules`
    pub rules: Option<String>,
}

/// A request whose body may come.
#[derive(Debug)]
pub struct Admission {
    owner: TokenOwner,
    head: ReceiveHead,
}

/// An answer, as `annals collect` understands it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiveReply {
    pub status: u16,
    /// Why, if it is no acknowledgement.
    pub reason: Option<String>,
    /// How many seconds to wait before another attempt.
    pub retry_after: Option<u64>,
    /// How many items were acknowledged and not taken, because they were forgotten.
    pub forgotten: u64,
}

impl ReceiveReply {
    fn refusal(status: u16, reason: impl Into<String>) -> Self {
        Self { status, reason: Some(reason.into()), ..Self::default() }
    }
}

impl From<AccessError> for ReceiveReply {
    fn from(error: AccessError) -> Self {
        let AccessError { status, reason, retry_after } = error;
        Self { retry_after, ..Self::refusal(status, reason) }
    }
}

/// Takes batches of machines, and writes those together that come at a time.
#[derive(Debug)]
pub struct Receiver {
    engine: Engine,
    prices: Prices,
    limits: ReceiveLimits,
    tokens: TokenChecker,
    machines: Mutex<RateLimiter>,
    write_queue: WriteQueue<SentBatches, WriteOutcome<ReceiveReply>>,
}

impl Receiver {
    /// A receiver for the tables of an engine.
    pub fn new(engine: Engine, prices: Prices, limits: ReceiveLimits) -> Self {
        let machines = Mutex::new(RateLimiter::new(limits.per_minute));
        Self {
            tokens: TokenChecker::new(engine.clone()),
            engine,
            prices,
            limits,
            machines,
            write_queue: WriteQueue::default(),
        }
    }

    /// Decides about a request before its body is read; `now` is in milliseconds.
    ///
    /// A token that is no machine's is answered like one that is wrong: then everything stays in the spool of its sender.
    pub fn admit(&self, head: ReceiveHead, now: i64) -> Result<Admission, ReceiveReply> {
        let is_machine = |owner: &TokenOwner| owner.kind == TokenKind::Machine;
        let owner = self.tokens.owner(head.token.as_deref(), &head.sender, now, is_machine)?;
        let mut machines = self.machines.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = machines.take(&format!("{}\0{}", owner.tenant, owner.name), now);
        taken.map_err(|wait| AccessError::later(429, "too many requests", wait))?;
        Ok(Admission { owner, head })
    }

    /// Takes the items of a body.
    pub fn take(&self, admission: &Admission, body: &[u8]) -> ReceiveReply {
        let Admission { owner, head } = admission;
        let items = match read_body(head, body, self.limits.body) {
            Ok(items) => items,
            Err(error @ BodyError::TooLarge(_)) => return ReceiveReply::refusal(413, error.to_string()),
            Err(error @ BodyError::Encoding(_)) => return ReceiveReply::refusal(415, error.to_string()),
            Err(error) => return ReceiveReply::refusal(400, error.to_string()),
        };
        if let Some(other) = items.iter().find(|sent| sent.machine != owner.name) {
            let reason = format!("this token is not that of machine {:?}", other.machine);
            return ReceiveReply::refusal(401, reason);
        }
        let bytes = items.iter().map(|sent| sent.item.text.as_ref().map_or(0, String::len)).sum();
        let rules = head.rules.as_deref().unwrap_or_default();
        let sent = SentBatches { tenant: owner.tenant.clone(), batches: batches(items, rules) };
        let write = |group: Vec<SentBatches>| write_group(&self.engine, &self.prices, &group, failure);
        match self.write_queue.write(sent, bytes, write) {
            Some(Ok(forgotten)) => ReceiveReply { status: 200, forgotten, ..ReceiveReply::default() },
            Some(Err(reply)) => reply,
            None => ReceiveReply::refusal(500, "it was not written"),
        }
    }
}

/// What a machine is told when the engine fails: only what the engine refuses for its content is refused to the machine.
fn failure(error: &EngineError) -> ReceiveReply {
    match error {
        EngineError::TooLarge(_) => ReceiveReply::refusal(413, "too large for the engine"),
        EngineError::Refused(what) => ReceiveReply::refusal(422, what),
        other => AccessError::of_engine(other).into(),
    }
}

/// The batches of a body: one for each store, however its items were put together. Each costs an insert into every table.
fn batches(items: Vec<SentItem>, rules: &str) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for SentItem { machine, store, batch: sequence, item } in items {
        match batches.iter_mut().find(|batch| batch.store == store) {
            Some(batch) => batch.items.push(item),
            None => {
                batches.push(Batch { machine, store, sequence, rules: rules.to_owned(), items: vec![item] })
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_many_batches_in_any_order_are_one_batch_for_each_store() {
        let items = (0..300_u64).map(|at| {
            let json = format!(
                r#"{{"v":2,"machine":"m","store":"s{}","batch":{},"file":"history.jsonl","generation":1,"offset":{at},"length":1,"line":1,"form":"line","text":"{{}}"}}"#,
                at % 3, at % 7
            );
            SentItem::parse(json.as_bytes()).unwrap()
        });
        let made = batches(items.collect(), "");
        let stores: Vec<_> = made.iter().map(|batch| (batch.store.as_str(), batch.items.len())).collect();
        assert_eq!(stores, [("s0", 100), ("s1", 100), ("s2", 100)]);
    }
}
