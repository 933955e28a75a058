//! Whether to try again, and when: a pure function of what went wrong, the time and chance.

use std::time::Duration;

use annals_transcript::time::parse_millis;

use super::failure::{Failure, Refusal};
use super::stream::StreamFault;

/// How patient a client is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a request is sent again at most.
    pub most: u32,
    /// The first pause, where the API names none; each further one is twice as long.
    pub first: Duration,
    /// No pause of our own is longer.
    pub longest: Duration,
    /// Nor any that the API names.
    pub longest_told: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            most: 10,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(8),
            longest_told: Duration::from_secs(60),
        }
    }
}

/// What is no use to repeat more often than this: a stream that makes no sense.
const MOST_OF_NONSENSE: u32 = 2;
/// A limit that names no time may be one on money, which no pause helps against.
const MOST_WITHOUT_A_TIME: u32 = 3;

/// What to do after a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Try again after this pause.
    Wait(Duration),
    /// Do not.
    GiveUp(GiveUp),
}

/// Why a request is not sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUp {
    /// It was sent often enough.
    Attempts,
    /// It would fail again.
    Hopeless,
    /// The API asks not to.
    Told,
    /// The money is used up, not the minute.
    SpendLimit,
}

/// Words of a limit on money.
const ABOUT_MONEY: [&str; 5] = ["spend", "usage limit", "credit balance", "billing", "monthly"];

/// What to do after the `retries`-th retry has failed (0: the request itself). `now` is in milliseconds since 1970, `chance` is
/// from 0 up to 1.
pub fn judge(patience: &Patience, retries: u32, failure: &Failure, now: i64, chance: f64) -> Verdict {
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
            ABOUT_MONEY.iter().any(|words| said.contains(words))
        });
    let told = refusal.and_then(|refusal| told_pause(refusal, now));
    let most = match asked {
        Some(false) => return Verdict::GiveUp(GiveUp::Told),
        _ if is_about_money => return Verdict::GiveUp(GiveUp::SpendLimit),
        Some(true) => patience.most,
        None => match most_tries(patience, failure, told) {
            Some(most) => most,
            None => return Verdict::GiveUp(GiveUp::Hopeless),
        },
    };
    if retries >= most {
        return Verdict::GiveUp(GiveUp::Attempts);
    }
    let pause = told.map(|pause| pause.min(patience.longest_told));
    Verdict::Wait(pause.unwrap_or_else(|| own_pause(patience, retries, chance)))
}

/// How often a failure of this kind is worth another try; nothing where it never is.
fn most_tries(patience: &Patience, failure: &Failure, told: Option<Duration>) -> Option<u32> {
    match failure {
        Failure::Connect { .. } | Failure::Broken { .. } | Failure::Idle { .. } => Some(patience.most),
        Failure::Stream(StreamFault::Unfinished) => Some(patience.most),
        Failure::Tls { .. } => None,
        Failure::Refused(_) | Failure::Stream(StreamFault::Api(_)) => match failure.status() {
            Some(429) if told.is_none() => Some(patience.most.min(MOST_WITHOUT_A_TIME)),
            Some(408 | 409 | 429 | 500..) => Some(patience.most),
            Some(_) => None,
            // An error of a kind that is newer than this code.
            None => Some(patience.most.min(MOST_OF_NONSENSE)),
        },
        Failure::NotAStream { .. } | Failure::Stream(_) => Some(patience.most.min(MOST_OF_NONSENSE)),
    }
}

fn own_pause(patience: &Patience, retries: u32, chance: f64) -> Duration {
    let doubled = patience.first.saturating_mul(2_u32.saturating_pow(retries)).min(patience.longest);
    // Up to a quarter less, so that many clients do not come back at once.
    doubled.mul_f64(1.0 - 0.25 * chance.clamp(0.0, 1.0))
}

/// The pause that an answer names.
fn told_pause(refusal: &Refusal, now: i64) -> Option<Duration> {
    let number = |name: &str| refusal.header(name)?.trim().parse::<f64>().ok();
    let sensible = |seconds: f64| {
        let is_pause = seconds.is_finite() && seconds >= 0.0;
        // A century is as absurd as any longer time, and fits.
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

/// Reads `Wed, 21 Oct 2026 07:28:00 GMT`, in milliseconds since 1970.
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
