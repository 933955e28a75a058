//! Whether and when to retry: a pure function of failure, time and jitter.

use std::time::Duration;

use annals_transcript::time::parse_millis;

use super::failure::{ErrorResponse, Failure};
use super::stream::StreamError;

/// How often and how soon a request is retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The most retries.
    pub max_retries: u32,
    /// The first pause, if the API names none; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest pause of our own.
    pub max_pause: Duration,
    /// The longest pause that the API may ask for.
    pub max_retry_after: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            max_retries: 10,
            first_pause: Duration::from_millis(500),
            max_pause: Duration::from_secs(8),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

/// The most retries of a malformed stream.
const MAX_RETRIES_OF_MALFORMED: u32 = 2;
/// The most retries of a rate limit without a time: it may be a spend limit, which no pause helps.
const MAX_RETRIES_WITHOUT_TIME: u32 = 3;

/// What to do after a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// Retry after this pause.
    Wait(Duration),
    /// Do not retry.
    GiveUp(GiveUpReason),
}

/// Why a request is not retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUpReason {
    /// It was retried often enough.
    Attempts,
    /// It would fail again.
    NotRetryable,
    /// The API forbids it.
    ServerForbids,
    /// A spend limit is reached, not a rate limit.
    SpendLimit,
}

/// Words that show a spend limit.
const SPEND_LIMIT_WORDS: [&str; 5] = ["spend", "usage limit", "credit balance", "billing", "monthly"];

/// Decides what follows the `retries`-th retry (0: the request itself). `now` is in milliseconds since 1970, `jitter` from 0 up
/// to 1.
pub fn decide_retry(
    backoff: &Backoff,
    retries: u32,
    failure: &Failure,
    now: i64,
    jitter: f64,
) -> RetryDecision {
    let refusal = match failure {
        Failure::Refused(refusal) => Some(refusal.as_ref()),
        _ => None,
    };
    let asked = refusal.and_then(|refusal| match refusal.header("x-should-retry")?.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    });
    let is_about_money = failure.status() == Some(429)
        && failure.api_error().is_some_and(|error| {
            let said = error.message.to_lowercase();
            SPEND_LIMIT_WORDS.iter().any(|words| said.contains(words))
        });
    let told = refusal.and_then(|refusal| told_pause(refusal, now));
    let most = match asked {
        Some(false) => return RetryDecision::GiveUp(GiveUpReason::ServerForbids),
        _ if is_about_money => return RetryDecision::GiveUp(GiveUpReason::SpendLimit),
        Some(true) => backoff.max_retries,
        None => match most_tries(backoff, failure, told) {
            Some(most) => most,
            None => return RetryDecision::GiveUp(GiveUpReason::NotRetryable),
        },
    };
    if retries >= most {
        return RetryDecision::GiveUp(GiveUpReason::Attempts);
    }
    let pause = told.map(|pause| pause.min(backoff.max_retry_after));
    RetryDecision::Wait(pause.unwrap_or_else(|| own_pause(backoff, retries, jitter)))
}

/// Returns how many retries a failure of this kind is worth; `None` if it is not.
fn most_tries(backoff: &Backoff, failure: &Failure, told: Option<Duration>) -> Option<u32> {
    match failure {
        Failure::Connect { .. } | Failure::Broken { .. } | Failure::Idle { .. } => Some(backoff.max_retries),
        Failure::Stream(StreamError::Unfinished) => Some(backoff.max_retries),
        Failure::Tls { .. } => None,
        Failure::Refused(_) | Failure::Stream(StreamError::Api(_)) => match failure.status() {
            Some(429) if told.is_none() => Some(backoff.max_retries.min(MAX_RETRIES_WITHOUT_TIME)),
            Some(408 | 409 | 429 | 500..) => Some(backoff.max_retries),
            Some(_) => None,
            // An error type that this program does not know.
            None => Some(backoff.max_retries.min(MAX_RETRIES_OF_MALFORMED)),
        },
        Failure::NotAStream { .. } | Failure::Stream(_) => {
            Some(backoff.max_retries.min(MAX_RETRIES_OF_MALFORMED))
        }
    }
}

fn own_pause(backoff: &Backoff, retries: u32, jitter: f64) -> Duration {
    let doubled = backoff.first_pause.saturating_mul(2_u32.saturating_pow(retries)).min(backoff.max_pause);
    // Up to a quarter less, so that clients do not return all at once.
    doubled.mul_f64(1.0 - 0.25 * jitter.clamp(0.0, 1.0))
}

/// Returns the pause that a response asks for.
fn told_pause(refusal: &ErrorResponse, now: i64) -> Option<Duration> {
    let number = |name: &str| refusal.header(name)?.trim().parse::<f64>().ok();
    let sensible = |seconds: f64| {
        let is_pause = seconds.is_finite() && seconds >= 0.0;
        // Longer times are clamped: a century fits and is as absurd.
        is_pause.then(|| Duration::from_secs_f64(seconds.min(3.2e9)))
    };
    if let Some(pause) = number("retry-after-ms").and_then(|millis| sensible(millis / 1000.0)) {
        return Some(pause);
    }
    if let Some(seconds) = number("retry-after") {
        return sensible(seconds);
    }
    let date = http_date(refusal.header("retry-after")?)?;
    Some(Duration::from_millis(u64::try_from(date.saturating_sub(now)).unwrap_or(0)))
}

/// Parses `Wed, 21 Oct 2026 07:28:00 GMT` into milliseconds since 1970.
fn http_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.trim().split_once(", ")?;
    let words: Vec<&str> = date.split(' ').collect();
    let &[day, month, year, time, "GMT"] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    parse_millis(&format!("{year}-{month:02}-{day:0>2}T{time}Z"))
}

#[cfg(test)]
mod tests;
