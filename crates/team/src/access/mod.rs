//! Whose a request is: looks up its token, and turns those away who try many.

mod rate;

use std::sync::{Mutex, PoisonError};

pub(crate) use self::rate::RateLimiter;
use crate::query::{TokenOwner, token_owner};
use crate::wire::{Engine, EngineError};

/// How many requests without a valid token an address may send a minute.
const MAX_DENIED: u32 = 30;

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessError {
    pub status: u16,
    pub reason: String,
    /// How many seconds to wait before another attempt.
    pub retry_after: Option<u64>,
}

impl AccessError {
    /// There is no token, or it is not one for this.
    fn denied(reason: &str) -> Self {
        Self { status: 401, reason: reason.to_owned(), retry_after: None }
    }

    /// Another attempt may help.
    pub(crate) fn later(status: u16, reason: &str, seconds: u64) -> Self {
        Self { status, reason: reason.to_owned(), retry_after: Some(seconds) }
    }

    /// The engine does not say whose a token is. What only the operator can change passes, as far as others are concerned.
    pub(crate) fn of_engine(error: &EngineError) -> Self {
        match error {
            EngineError::Unavailable(_) => Self::later(503, "the engine does not answer", 10),
            _ => Self::later(503, "the engine cannot be asked", 60),
        }
    }
}

/// Looks up tokens.
#[derive(Debug)]
pub struct TokenChecker {
    engine: Engine,
    denied: Mutex<RateLimiter>,
}

impl TokenChecker {
    /// A checker of the tokens that an engine knows.
    pub fn new(engine: Engine) -> Self {
        Self { engine, denied: Mutex::new(RateLimiter::new(MAX_DENIED)) }
    }

    /// Whose a token is. An address that sends many wrong ones is not answered for a while; `now` is in milliseconds.
    pub fn owner(
        &self,
        token: Option<&str>,
        sender: &str,
        now: i64,
        is_wanted: impl Fn(&TokenOwner) -> bool,
    ) -> Result<TokenOwner, AccessError> {
        let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        denied.check(sender, now).map_err(|wait| AccessError::later(429, "too many requests", wait))?;
        drop(denied);
        let reason = match token.filter(|token| !token.is_empty()) {
            None => "a token is needed (--token-file, or ANNALS_TOKEN)",
            Some(token) => {
                match token_owner(&self.engine, token).map_err(|error| AccessError::of_engine(&error))? {
                    Some(owner) if is_wanted(&owner) => return Ok(owner),
                    Some(_) => "this token does not allow this",
                    None => "this token is not valid",
                }
            }
        };
        let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = denied.take(sender, now);
        Err(AccessError::denied(reason))
    }
}
