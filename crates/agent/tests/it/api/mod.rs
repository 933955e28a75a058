//! The Messages API: calls against a server that does what a script says, and against one in memory with a stopped clock.

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

use annals_agent::api::call::{Answer, CallError, Caller, Ended, Manner, Progress, Retry, Surroundings};
use annals_agent::api::client::{Client, Credential, Endpoint, Settings};
use annals_agent::api::request::{Caching, Message, Request, Role, Thinking, ToolSpec};
use annals_agent::api::retry::Patience;
use annals_testkit::api::{Captured, Script, ScriptedApi};

/// Nothing here takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

/// A clock that stands, and no luck at all.
pub(crate) struct Still;

impl Surroundings for Still {
    fn now(&self) -> i64 {
        1_792_567_680_000
    }

    fn chance(&self) -> f64 {
        0.0
    }
}

/// A client with a server of its own.
struct Talk {
    api: ScriptedApi,
    client: Client,
    manner: Manner,
}

/// What came of a call.
struct Told {
    result: Result<Answer, CallError>,
    progress: Vec<Progress>,
}

fn settings(base: &str) -> Settings {
    Settings {
        endpoint: Endpoint::parse(base).unwrap(),
        credential: Credential::key("sk-test-secret").unwrap(),
        user_agent: "annals-test/1".into(),
        headers: vec![("x-more".into(), "yes".into())],
        detour: None,
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
        caching: Caching::Minutes,
        user: None,
        betas: vec!["some-beta".into()],
    }
}

impl Talk {
    /// A server that plays this script to a client that does not wait between tries.
    fn new(script: &str) -> Self {
        let api = ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap();
        let client = Client::new(settings(&api.url())).unwrap();
        let patience =
            Patience { first: Duration::ZERO, longest_told: Duration::from_millis(1), ..Patience::default() };
        Self { api, client, manner: Manner { patience, ..Manner::default() } }
    }

    /// One step, named `a`.
    fn step(step: &str) -> Self {
        Self::new(&format!(r#"{{"a":[{step}]}}"#))
    }

    async fn ask(&self, name: &str) -> Told {
        self.send(&request(&format!("@@{name}@@"))).await
    }

    async fn send(&self, request: &Request<'_>) -> Told {
        let mut progress = Vec::new();
        let caller = Caller { transport: &self.client, surroundings: &Still, manner: self.manner.clone() };
        let mut report = |told| progress.push(told);
        let result = tokio::time::timeout(HANGS, caller.call(request, &mut report)).await.expect("it hangs");
        Told { result, progress }
    }

    fn requests(&self) -> Vec<Captured> {
        self.api.requests()
    }
}

impl Told {
    /// The blocks that a caller would have written down: the same ones that the answer has.
    fn blocks(&self) -> Vec<String> {
        let told = self.progress.iter().filter_map(|told| match told {
            Progress::Block(block) => Some(String::from_utf8(block.json.clone()).unwrap()),
            _ => None,
        });
        let told: Vec<String> = told.collect();
        if let Ok(answer) = &self.result {
            let kept = answer.blocks.iter().map(|block| String::from_utf8(block.json.clone()).unwrap());
            assert_eq!(told, kept.collect::<Vec<_>>());
        }
        told
    }

    fn retries(&self) -> Vec<&Retry> {
        let retries = self.progress.iter().filter_map(|told| match told {
            Progress::RetryScheduled(retry) => Some(retry),
            _ => None,
        });
        retries.collect()
    }

    fn answer(&self) -> &Answer {
        self.result.as_ref().unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    /// Why it ended well; panics where it did not.
    fn stop(&self) -> &str {
        match &self.answer().ended {
            Ended::Complete(stop) => stop.reason.name(),
            Ended::Broken(failure) => panic!("broken: {failure}"),
        }
    }

    /// Why it broke after something stood; panics where it did not.
    fn breach(&self) -> String {
        match &self.answer().ended {
            Ended::Complete(stop) => panic!("complete: {stop:?}"),
            Ended::Broken(failure) => failure.to_string(),
        }
    }

    fn has_restarted(&self) -> bool {
        self.progress.contains(&Progress::Restarted)
    }
}
