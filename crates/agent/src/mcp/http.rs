//! A server over streamable HTTP: every message is a POST, whose answer is JSON or a stream of events; one GET listens to what
//! the server tells by itself.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annals_policy::secret::Secret;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::inbox::McpInbox;
use super::message;
use super::oauth::BearerSource;
use super::server::{McpError, McpFuture, McpTransport};
use crate::api::client::{ProxyConfig, TlsUse, builder, is_loopback, root_cause, secret_header};
use crate::api::sse::{Decoder, ServerEvent};

/// The largest answer.
const MAX_BODY: usize = 64 << 20;
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The most redirects, which stay on the same server.
const MAX_REDIRECTS: usize = 5;
/// How often a stream of notifications is opened again, and the first pause; each is twice the one before.
const MAX_REOPENED: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(1);

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// How servers are reached over HTTP.
#[derive(Clone, Debug)]
pub struct McpHttp {
    /// The proxy; never used for loopback.
    pub proxy: Option<ProxyConfig>,
    /// Trusted certificates besides those of the system, in PEM.
    pub trusted: Vec<Vec<u8>>,
    /// The `user-agent` header.
    pub user_agent: String,
}

/// The address of a server, with the client for it.
#[derive(Clone)]
pub(super) struct HttpEndpoint {
    server: String,
    client: Client,
    pub(super) url: Url,
    headers: HeaderMap,
    bearer: Option<Arc<BearerSource>>,
}

impl HttpEndpoint {
    pub(super) fn new(
        http: &McpHttp,
        (server, url): (&str, &str),
        given: &[(String, Secret)],
        bearer: Option<BearerSource>,
    ) -> Result<Self, McpError> {
        let wrong = |why: String| McpError::Unreachable(why);
        let url = Url::parse(url).map_err(|error| wrong(format!("{url:?} is not an address: {error}")))?;
        let is_here = url.host_str().is_some_and(is_loopback);
        let tls = match url.scheme() {
            "https" => TlsUse::Needed,
            "http" if is_here || (given.is_empty() && !has_token(bearer.as_ref())) => TlsUse::None,
            "http" => return Err(wrong("use https: headers are never sent unencrypted".to_owned())),
            other => return Err(wrong(format!("the scheme {other} is not supported"))),
        };
        let proxy = http.proxy.as_ref().filter(|_| !is_here);
        let builder = builder(proxy, &http.trusted, tls).map_err(|error| wrong(error.to_string()))?;
        let builder = builder.connect_timeout(CONNECT_TIMEOUT).redirect(same_server());
        let client = builder.build().map_err(|error| wrong(root_cause(&error)))?;
        let mut headers = HeaderMap::new();
        for (name, value) in given.iter().map(|(name, value)| (name.as_str(), value.reveal())) {
            let bad = |_| wrong(format!("the header {name:?} cannot be sent"));
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(()))?;
            headers.insert(header, secret_header("", value).map_err(|_| bad(()))?);
        }
        if let Ok(agent) = HeaderValue::from_str(&http.user_agent) {
            headers.entry(USER_AGENT).or_insert(agent);
        }
        let server = server.to_owned();
        Ok(Self { server, client, url, headers, bearer: bearer.map(Arc::new) })
    }

    pub(super) async fn post(
        &self,
        url: &Url,
        more: HeaderMap,
        message: Vec<u8>,
    ) -> Result<Response, McpError> {
        self.send(more, |headers| {
            let request = self.client.post(url.clone()).headers(headers);
            let request = request.header(CONTENT_TYPE, "application/json");
            let request = request.header(ACCEPT, "application/json, text/event-stream");
            request.body(message.clone())
        })
        .await
    }

    /// Sends a message that has no answer; a server that is gone needs none.
    pub(super) fn post_later(&self, url: Url, more: HeaderMap, message: Vec<u8>) {
        let endpoint = self.clone();
        // Once the conversation has ended, there is nobody to send it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let _ = endpoint.post(&url, more, message).await;
            });
        }
    }

    pub(super) async fn get(&self, more: HeaderMap) -> Result<Response, McpError> {
        self.send(more, |headers| {
            self.client.get(self.url.clone()).headers(headers).header(ACCEPT, "text/event-stream")
        })
        .await
    }

    /// Refuses an answer whose status is an error.
    pub(super) fn check(&self, response: &Response) -> Result<(), McpError> {
        match response.status() {
            status if status.is_success() => Ok(()),
            status if matches!(status.as_u16(), 401 | 403) => {
                let server = self.server.clone();
                Err(McpError::Unauthorized { server, status: status.as_u16() })
            }
            status => Err(McpError::Unreachable(format!("it answered {status}"))),
        }
    }

    /// Sends a request, with the token if there is one. If the server refuses that, it is renewed, and the request is sent again.
    async fn send(
        &self,
        more: HeaderMap,
        request: impl Fn(HeaderMap) -> RequestBuilder,
    ) -> Result<Response, McpError> {
        let mut headers = self.headers.clone();
        headers.extend(more);
        let unreachable = |error: reqwest::Error| McpError::Unreachable(root_cause(&error));
        let Some((bearer, token)) = self.bearer.as_ref().and_then(|bearer| Some((bearer, bearer.token()?)))
        else {
            return request(headers).send().await.map_err(unreachable);
        };
        let response = request(with_token(&headers, &token)?).send().await.map_err(unreachable)?;
        if response.status().as_u16() != 401 {
            return Ok(response);
        }
        match bearer.renewed(&token).await {
            Some(newer) => request(with_token(&headers, &newer)?).send().await.map_err(unreachable),
            None => Ok(response),
        }
    }
}

fn has_token(bearer: Option<&BearerSource>) -> bool {
    bearer.is_some_and(|bearer| bearer.token().is_some())
}

fn with_token(headers: &HeaderMap, token: &Secret) -> Result<HeaderMap, McpError> {
    let value = secret_header("Bearer ", token.reveal());
    let value = value.map_err(|_| McpError::Unreachable("the token cannot be sent".to_owned()))?;
    let mut headers = headers.clone();
    headers.insert(AUTHORIZATION, value);
    Ok(headers)
}

/// A redirect to another server would take the headers there.
fn same_server() -> Policy {
    Policy::custom(|attempt| {
        let first = attempt.previous().first().map(Url::origin);
        match first == Some(attempt.url().origin()) && attempt.previous().len() <= MAX_REDIRECTS {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

/// A server over streamable HTTP. Dropping it ends the stream of notifications.
pub(super) struct HttpTransport {
    endpoint: HttpEndpoint,
    inbox: McpInbox,
    state: Arc<Mutex<HttpState>>,
}

#[derive(Debug, Default)]
struct HttpState {
    session: Option<HeaderValue>,
    protocol: Option<HeaderValue>,
    closed: Option<String>,
    listener: Option<JoinHandle<()>>,
}

impl HttpTransport {
    pub(super) fn new(endpoint: HttpEndpoint, inbox: McpInbox) -> Self {
        Self { endpoint, inbox, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, HttpState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn headers(&self) -> HeaderMap {
        let state = self.state();
        let pairs = [(SESSION, state.session.clone()), (PROTOCOL, state.protocol.clone())];
        pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    async fn exchange(&self, message: Vec<u8>) -> Result<Vec<u8>, McpError> {
        let id = message::id(&message);
        let response = self.endpoint.post(&self.endpoint.url, self.headers(), message).await?;
        let status = response.status();
        if let Some(session) = response.headers().get(SESSION).filter(|_| status.is_success()) {
            self.state().session = Some(session.clone());
        }
        if status.as_u16() == 404 && self.state().session.is_some() {
            let why = "the server has ended the session".to_owned();
            self.state().closed = Some(why.clone());
            return Err(McpError::Closed(why));
        }
        let is_stream = is_stream(&response);
        let Some(id) = id else { return self.endpoint.check(&response).map(|()| Vec::new()) };
        if status.is_success() && is_stream {
            return self.read_stream(response, id).await;
        }
        let refused = self.endpoint.check(&response);
        let body = body(response).await?;
        let answer = message::split(&body).into_iter().find(|message| message::answered(message) == Some(id));
        match answer {
            // An error of the protocol may come with an error of HTTP.
            Some(answer) => Ok(answer),
            None => refused.and(Err(McpError::Malformed("it is not a response to the request"))),
        }
    }

    /// Reads events until the answer.
    async fn read_stream(&self, mut response: Response, id: u64) -> Result<Vec<u8>, McpError> {
        let mut decoder = Decoder::with_limit(MAX_BODY);
        while let Some(events) = next_events(&mut response, &mut decoder).await? {
            for message in events.iter().flat_map(|event| message::split(event.data.as_bytes())) {
                if message::answered(&message) == Some(id) {
                    return Ok(message);
                }
                self.inbox.deliver(message);
            }
        }
        Err(McpError::Closed("the stream ended before the answer".to_owned()))
    }
}

impl McpTransport for HttpTransport {
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m> {
        Box::pin(self.exchange(message))
    }

    fn post(&self, message: Vec<u8>) {
        self.endpoint.post_later(self.endpoint.url.clone(), self.headers(), message);
    }

    fn begin(&self, protocol: &str) {
        self.state().protocol = HeaderValue::from_str(protocol).ok();
        let (endpoint, headers, inbox) = (self.endpoint.clone(), self.headers(), self.inbox.clone());
        let listener = tokio::spawn(async move {
            for attempt in 0..MAX_REOPENED {
                if !listen(&endpoint, headers.clone(), &inbox).await {
                    return;
                }
                tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(attempt)).await;
            }
        });
        self.state().listener = Some(listener);
    }

    fn closed(&self) -> Option<String> {
        self.state().closed.clone()
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        if let Some(listener) = self.state().listener.take() {
            listener.abort();
        }
    }
}

/// Listens to what a server tells by itself; `false` if it offers no such stream.
async fn listen(endpoint: &HttpEndpoint, headers: HeaderMap, inbox: &McpInbox) -> bool {
    let Ok(mut response) = endpoint.get(headers).await else { return true };
    if !response.status().is_success() || !is_stream(&response) {
        return false;
    }
    let mut decoder = Decoder::with_limit(MAX_BODY);
    while let Ok(Some(events)) = next_events(&mut response, &mut decoder).await {
        let messages = events.iter().flat_map(|event| message::split(event.data.as_bytes()));
        messages.for_each(|message| inbox.deliver(message));
    }
    true
}

/// Returns the events of the next chunk; `None` at the end.
pub(super) async fn next_events(
    response: &mut Response,
    decoder: &mut Decoder,
) -> Result<Option<Vec<ServerEvent>>, McpError> {
    let chunk = response.chunk().await.map_err(|error| McpError::Closed(root_cause(&error)))?;
    let Some(chunk) = chunk else { return Ok(None) };
    let mut events = Vec::new();
    decoder.feed(&chunk, &mut events).map_err(|error| McpError::Closed(error.to_string()))?;
    Ok(Some(events))
}

pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

async fn body(mut response: Response) -> Result<Vec<u8>, McpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| McpError::Closed(root_cause(&error)))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BODY {
            return Err(McpError::Malformed("it is too long"));
        }
    }
    Ok(body)
}
