//! The table of what is tried again, row by row.

use super::super::failure::ApiError;
use super::super::sse::SseError;
use super::*;

const NOW: i64 = 1_792_567_680_000; // Wed, 21 Oct 2026 07:28:00 GMT

fn refused(status: u16, headers: &[(&str, &str)], message: &str) -> Failure {
    let body = format!(r#"{{"type":"error","error":{{"type":"some_error","message":"{message}"}}}}"#);
    Failure::Refused(Box::new(ErrorResponse {
        status,
        headers: headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        error: ApiError::of_body(body.as_bytes()),
    }))
}

fn first(failure: &Failure) -> RetryDecision {
    decide_retry(&Backoff::default(), 0, failure, NOW, 0.0)
}

fn millis(count: u64) -> RetryDecision {
    RetryDecision::Wait(Duration::from_millis(count))
}

/// How many tries a failure gets that always comes again.
fn tries(failure: &Failure) -> u32 {
    let goes_on = |retries: &u32| {
        matches!(decide_retry(&Backoff::default(), *retries, failure, NOW, 0.5), RetryDecision::Wait(_))
    };
    (0..100).take_while(goes_on).count() as u32
}

#[test]
fn statuses_by_the_table() {
    for status in [408, 409, 500, 502, 503, 504, 529, 599] {
        assert_eq!((first(&refused(status, &[], "")), tries(&refused(status, &[], ""))), (millis(500), 10));
    }
    for status in [301, 302, 307, 400, 401, 402, 403, 404, 413, 422] {
        assert_eq!(
            first(&refused(status, &[], "")),
            RetryDecision::GiveUp(GiveUpReason::NotRetryable),
            "{status}"
        );
    }
    assert_eq!(tries(&refused(429, &[("retry-after", "2")], "")), 10);
}

#[test]
fn pauses_double_up_to_a_limit_and_scatter() {
    let pause =
        |retries, jitter| decide_retry(&Backoff::default(), retries, &refused(500, &[], ""), NOW, jitter);
    let whole: Vec<_> = (0..6).map(|retries| pause(retries, 0.0)).collect();
    assert_eq!(whole, [500, 1000, 2000, 4000, 8000, 8000].map(millis));
    assert_eq!((pause(0, 1.0), pause(9, 0.5)), (millis(375), millis(7000)));
    assert_eq!(pause(10, 0.0), RetryDecision::GiveUp(GiveUpReason::Attempts));
    let endless = Backoff { max_retries: u32::MAX, ..Backoff::default() };
    assert_eq!(
        decide_retry(&endless, 4_000_000_000, &refused(500, &[], ""), NOW, f64::NAN.max(0.0)),
        millis(8000)
    );
}

#[test]
fn the_api_names_the_pause() {
    let told = |headers: &[(&str, &str)]| first(&refused(429, headers, "slow down"));
    assert_eq!(told(&[("retry-after", "2")]), millis(2000));
    assert_eq!(told(&[("retry-after", " 0.25 ")]), millis(250));
    assert_eq!(told(&[("retry-after", "0")]), millis(0));
    assert_eq!(told(&[("retry-after-ms", "1500"), ("retry-after", "9")]), millis(1500));
    assert_eq!(told(&[("retry-after-ms", "soon"), ("retry-after", "9")]), millis(9000));
    assert_eq!(told(&[("retry-after", "Wed, 21 Oct 2026 07:28:03 GMT")]), millis(3000));
    assert_eq!(told(&[("retry-after", "Wed, 21 Oct 2026 07:27:03 GMT")]), millis(0));
    for absurd in ["86400", "1e300", "Thu, 21 Oct 2094 07:28:00 GMT"] {
        assert_eq!(told(&[("retry-after", absurd)]), millis(60_000), "{absurd}");
    }
    for nonsense in ["-5", "inf", "NaN", "tomorrow", "", "Wed, 21 Okt 2026 07:28:00 GMT", "Wed, 21 Oct 2026"]
    {
        assert_eq!(told(&[("retry-after", nonsense)]), millis(500), "{nonsense:?}");
    }
}

#[test]
fn a_wish_of_the_api_comes_first() {
    assert_eq!(
        first(&refused(529, &[("x-should-retry", "false")], "")),
        RetryDecision::GiveUp(GiveUpReason::ServerForbids)
    );
    assert_eq!(first(&refused(400, &[("x-should-retry", "true")], "")), millis(500));
    assert_eq!(tries(&refused(400, &[("x-should-retry", "true")], "")), 10);
    assert_eq!(
        first(&refused(400, &[("x-should-retry", "maybe")], "")),
        RetryDecision::GiveUp(GiveUpReason::NotRetryable)
    );
}

#[test]
fn no_pause_helps_against_an_empty_purse() {
    let purse = "You have reached your specified API usage limits.";
    assert_eq!(first(&refused(429, &[], purse)), RetryDecision::GiveUp(GiveUpReason::SpendLimit));
    assert_eq!(
        first(&refused(429, &[("retry-after", "5")], purse)),
        RetryDecision::GiveUp(GiveUpReason::SpendLimit)
    );
    assert_eq!(
        tries(&refused(429, &[], "requests per minute")),
        3,
        "a limit without a time is not looped on"
    );
    assert_eq!(first(&refused(500, &[], purse)), millis(500));
}

#[test]
fn connections_and_streams() {
    let text = || "x".to_owned();
    let always = [
        Failure::Connect { host: text(), detail: text() },
        Failure::Broken { host: text(), detail: text() },
        Failure::Idle { after: Duration::from_secs(300) },
        StreamError::Unfinished.into(),
    ];
    assert_eq!(always.map(|failure| tries(&failure)), [10; 4]);
    assert_eq!(
        first(&Failure::Tls { host: text(), detail: text() }),
        RetryDecision::GiveUp(GiveUpReason::NotRetryable)
    );
    let nonsense = [
        Failure::NotAStream { content_type: text() },
        StreamError::Malformed { event: text(), what: "x" }.into(),
        StreamError::Sse(SseError::NotText { at: 0 }).into(),
        StreamError::ToolIdTwice { id: text() }.into(),
    ];
    assert_eq!(nonsense.map(|failure| tries(&failure)), [2; 4]);
    let event = |kind: &str| {
        let body = format!(r#"{{"error":{{"type":"{kind}","message":"x"}}}}"#);
        tries(&StreamError::Api(ApiError::of_body(body.as_bytes())).into())
    };
    let kinds = ["overloaded_error", "api_error", "timeout_error", "rate_limit_error", "newer_error"];
    assert_eq!(kinds.map(event), [10, 10, 10, 3, 2]);
    assert_eq!(["invalid_request_error", "authentication_error", "permission_error"].map(event), [0; 3]);
}
