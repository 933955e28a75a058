//! The Messages API: calls against a scripted server, and against one in memory with a paused clock.

mod broken;
mod connection;
mod memory;
mod odd;
mod refused;
mod secure;
mod splits;
mod time;

use std::borrow::Cow;
use std::time::Duration;

use annals_agent::api::call::{
    ApiResponse, CallError, CallProgress, Caller, ResponseEnd, RetryClock, RetryOptions, ScheduledRetry,
};
use annals_agent::api::client::{Client, ClientSettings, Credential, Endpoint};
use annals_agent::api::request::{Message, PromptCaching, Request, Role, Thinking, ToolSpec};
use annals_agent::api::retry::Backoff;
use annals_testkit::api::{RecordedRequest, Script, ScriptedApi};

/// Nothing here takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

/// A clock that stands, and no luck at all.
pub(crate) struct Still;

impl RetryClock for Still {
    fn now(&self) -> i64 {
        1_792_567_680_000
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

/// A client with a server of its own.
struct Talk {
    api: ScriptedApi,
    client: Client,
    retry: RetryOptions,
}

/// What came of a call.
struct ToolProgress {
    result: Result<ApiResponse, CallError>,
    progress: Vec<CallProgress>,
}

fn settings(base: &str) -> ClientSettings {
    ClientSettings {
        endpoint: Endpoint::parse(base).unwrap(),
        credential: Credential::key("sk-test-secret").unwrap(),
        user_agent: "annals-test/1".into(),
        headers: vec![("x-more".into(), "yes".into())],
        proxy: None,
        trusted: vec![],
        connect_timeout: Duration::from_secs(20),
    }
}

fn request(prompt: &str) -> Request<'static> {
    let block = format!(r#"{{"type":"text","text":"{prompt}"}}"#).into_bytes();
    Request {
        model: "claude-opus-4-8",
        max_tokens: 8000,
        system: vec!["be brief".into()],
        tools: vec![ToolSpec { name: "Bash".into(), json: br#"{"name":"Bash","input_schema":{}}"#.to_vec() }],
        messages: vec![Message { role: Role::User, blocks: vec![Cow::Owned(block)] }],
        thinking: Thinking::Off,
        effort: None,
        caching: PromptCaching::Minutes,
        user: None,
        betas: vec!["some-beta".into()],
    }
}

impl Talk {
    /// A server that plays this script to a client that does not wait between tries.
    fn new(script: &str) -> Self {
        let api = ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap();
        let client = Client::new(settings(&api.url())).unwrap();
        let backoff = Backoff {
            first_pause: Duration::ZERO,
            max_retry_after: Duration::from_millis(1),
            ..Backoff::default()
        };
        Self { api, client, retry: RetryOptions { backoff, ..RetryOptions::default() } }
    }

    /// One step, named `a`.
    fn step(step: &str) -> Self {
        Self::new(&format!(r#"{{"a":[{step}]}}"#))
    }

    async fn ask(&self, name: &str) -> ToolProgress {
        self.send(&request(&format!("@@{name}@@"))).await
    }

    async fn send(&self, request: &Request<'_>) -> ToolProgress {
        let mut progress = Vec::new();
        let caller = Caller { transport: &self.client, clock: &Still, retry: self.retry.clone() };
        let mut report = |told| progress.push(told);
        let result = tokio::time::timeout(HANGS, caller.call(request, &mut report)).await.expect("it hangs");
        ToolProgress { result, progress }
    }

    fn requests(&self) -> Vec<RecordedRequest> {
        self.api.requests()
    }
}

impl ToolProgress {
    /// The blocks that a caller would have written down: the same ones that the answer has.
    fn blocks(&self) -> Vec<String> {
        let told = self.progress.iter().filter_map(|told| match told {
            CallProgress::Block(block) => Some(String::from_utf8(block.json.clone()).unwrap()),
            _ => None,
        });
        let told: Vec<String> = told.collect();
        if let Ok(answer) = &self.result {
            let kept = answer.blocks.iter().map(|block| String::from_utf8(block.json.clone()).unwrap());
            assert_eq!(told, kept.collect::<Vec<_>>());
        }
        told
    }

    fn retries(&self) -> Vec<&ScheduledRetry> {
        let retries = self.progress.iter().filter_map(|told| match told {
            CallProgress::RetryScheduled(retry) => Some(retry),
            _ => None,
        });
        retries.collect()
    }

    fn answer(&self) -> &ApiResponse {
        self.result.as_ref().unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    /// Why it ended well; panics where it did not.
    fn stop(&self) -> &str {
        match &self.answer().ended {
            ResponseEnd::Complete(stop) => stop.reason.name(),
            ResponseEnd::Broken(failure) => panic!("broken: {failure}"),
        }
    }

    /// Why it broke after something stood; panics where it did not.
    fn breach(&self) -> String {
        match &self.answer().ended {
            ResponseEnd::Complete(stop) => panic!("complete: {stop:?}"),
            ResponseEnd::Broken(failure) => failure.to_string(),
        }
    }

    fn has_restarted(&self) -> bool {
        self.progress.contains(&CallProgress::Restarted)
    }
}
