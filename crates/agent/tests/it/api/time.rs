//! Retry pauses and timeouts to the millisecond, with a simulated clock.

use std::time::Duration;

use annals_agent::api::call::{CallError, CallProgress, Caller, RetryOptions};
use annals_agent::api::failure::Failure;
use tokio::time::Instant;

use super::memory::{Memory, Reply};
use super::{Still, request};

fn whole() -> Reply {
    let stream = r#"data: {"type":"message_start","message":{"id":"m","model":"c"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}

data: {"type":"message_stop"}

"#;
    Reply::Stream(vec![(Duration::ZERO, stream.to_owned())])
}

fn refused(status: u16, headers: &[(&str, &str)]) -> Reply {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Reply::Refused { status, headers, message: "slow" }
}

/// How a call ends, how long it takes, and the pauses that it told.
async fn timed(replies: Vec<Reply>) -> (Result<(), CallError>, Duration, Vec<u64>) {
    let memory = Memory::new(replies);
    let caller = Caller { transport: &memory, clock: &Still, retry: RetryOptions::default() };
    let mut pauses = Vec::new();
    let mut report = |told| {
        if let CallProgress::RetryScheduled(retry) = told {
            pauses.push(retry.wait.as_millis() as u64);
        }
    };
    let begun = Instant::now();
    let asked = request("hello");
    let result = caller.call(&asked, &mut report).await.map(|_| ());
    assert_eq!(memory.left(), 0, "fewer requests than expected");
    (result, begun.elapsed(), pauses)
}

/// How long to wait for the end of a body that never ends.
const BODY_END_TIMEOUT: Duration = Duration::from_millis(100);

#[tokio::test(start_paused = true)]
async fn a_call_waits_as_long_as_it_is_told() {
    let replies = vec![
        refused(429, &[("retry-after", "2")]),
        refused(429, &[("retry-after", "Wed, 21 Oct 2026 07:28:05 GMT")]),
        refused(429, &[("retry-after", "86400")]),
        refused(529, &[("retry-after-ms", "1500")]),
        refused(500, &[]),
        whole(),
    ];
    let (result, took, pauses) = timed(replies).await;
    assert_eq!((result, pauses), (Ok(()), vec![2000, 5000, 60_000, 1500, 8000]));
    assert_eq!(took, Duration::from_millis(76_500) + BODY_END_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn pauses_grow() {
    let replies = (0..11).map(|_| refused(529, &[])).collect();
    let (result, took, pauses) = timed(replies).await;
    assert!(result.is_err());
    assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000]);
    assert_eq!(took, Duration::from_millis(pauses.iter().sum()));
}

#[tokio::test(start_paused = true)]
async fn pings_keep_a_call_alive_and_silence_ends_it() {
    let Reply::Stream(message) = whole() else { panic!() };
    let ping = |_| (Duration::from_secs(10), "event: ping\ndata: {}\n\n".to_owned());
    let six_minutes = Reply::Stream((0..36).map(ping).chain(message).collect());
    let (result, took, _) = timed(vec![six_minutes]).await;
    assert_eq!((result, took), (Ok(()), Duration::from_secs(360) + BODY_END_TIMEOUT));
    let (result, took, pauses) = timed(vec![Reply::Silence, Reply::Stream(vec![]), whole()]).await;
    assert_eq!((result, pauses), (Ok(()), vec![500, 1000]));
    assert_eq!(took, Duration::from_millis(601_500) + BODY_END_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn silence_for_ever_is_an_error() {
    let (result, _, pauses) = timed((0..11).map(|_| Reply::Silence).collect()).await;
    let Err(CallError::Failed { failure: Failure::Idle { after }, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!((after, pauses.len()), (Duration::from_secs(300), 10));
}
