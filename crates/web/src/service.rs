//! Answers programs: a token in a header instead of a cookie, one request and one answer, both whole in memory, made on a thread
//! of its own.

use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use futures_core::Stream;
use tokio::sync::Semaphore;

use crate::guard::{AccessToken, Guard, HostRules, is_from_here, sender};
use crate::readers::{ReaderPages, ReaderSite};
use crate::server::{Exposure, Listener, ServeError, ServerLimits};

/// How long a body may take to arrive.
const MAX_WAIT: Duration = Duration::from_secs(300);
/// How long the rest of a body is read that nobody wants, so that its sender reads the answer.
const MAX_DISCARD: Duration = Duration::from_secs(5);

/// A request without its body.
#[derive(Clone, Debug)]
pub struct ServiceHead {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// What follows the question mark.
    pub query: String,
    /// Who sent it, as far as limits are concerned.
    pub sender: IpAddr,
    headers: HeaderMap,
}

impl ServiceHead {
    /// A header, if it is there and plain text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The bearer token.
    pub fn token(&self) -> Option<&str> {
        let (scheme, token) = self.header(AUTHORIZATION.as_str())?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    }

    /// Whether it was sent to an address or `localhost`, and not by a page of somebody else: for servers on this machine only.
    pub fn is_from_here(&self) -> bool {
        // A program names no page, whatever its method.
        HostRules::new(Vec::new()).allow(&self.headers) && is_from_here(&Method::GET, &self.headers, false)
    }

    /// The parameters of the query.
    pub fn parameters(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.query.as_bytes()).into_owned().collect()
    }
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceReply {
    pub status: u16,
    /// Headers; what cannot stand in one is left out.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Answers a request once its body is there.
pub type BodyHandler = Box<dyn FnOnce(Vec<u8>) -> ServiceReply + Send>;

/// Something that answers programs. It may block.
pub trait Service: Send + Sync + 'static {
    /// Decides about a request before its body is read.
    fn admit(&self, head: ServiceHead) -> Result<BodyHandler, ServiceReply>;
}

/// How to serve programs.
#[derive(Debug)]
pub struct ServiceConfig {
    /// The address to listen on.
    pub bind: SocketAddr,
    /// Who can reach it.
    pub exposure: Exposure,
    /// What it takes on.
    pub limits: ServerLimits,
    /// The most bytes of a body.
    pub max_body: usize,
    /// How many requests are answered at a time; more wait. Their bodies are in memory.
    pub at_a_time: usize,
    /// Into how many shares the place of a request is divided: one that says that its body is small takes only as many as it needs, so
    /// that more of them are answered at a time, in the same memory.
    pub shares: u32,
}

/// A server that listens, and answers programs once it is run.
pub struct ServiceServer {
    listener: Listener,
    router: Router,
}

#[derive(Clone)]
struct ServiceState {
    service: Arc<dyn Service>,
    seats: Arc<Semaphore>,
    max_body: usize,
    shares: u32,
    is_behind_proxy: bool,
    site: Option<Arc<ReaderSite>>,
}

impl ServiceServer {
    /// Checks the settings and listens; nothing is answered yet. Must be called within a runtime. What is not below `/v1/`, and
    /// comes without a token in its head, gets a page, if there are any.
    pub async fn bind(
        config: ServiceConfig,
        service: impl Service,
        pages: Option<ReaderPages>,
    ) -> Result<Self, ServeError> {
        let ServiceConfig { bind, exposure, limits, max_body, at_a_time, shares } = config;
        let shares = shares.max(1);
        let listener = Listener::bind(bind, &exposure, limits).await?;
        let site = match pages {
            Some(pages) => Some(Arc::new(reader_site(pages, &listener, &exposure)?)),
            None => None,
        };
        let state = ServiceState {
            service: Arc::new(service),
            seats: Arc::new(Semaphore::new(at_a_time * shares as usize)),
            max_body,
            shares,
            is_behind_proxy: matches!(exposure, Exposure::BehindProxy),
            site,
        };
        Ok(Self { listener, router: Router::new().fallback(answer).with_state(state) })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Scheme, address and port.
    pub fn origin(&self) -> String {
        self.listener.origin()
    }

    /// Answers requests until the future is dropped.
    pub async fn run(self) {
        self.listener.run(self.router).await;
    }
}

fn reader_site(
    pages: ReaderPages,
    listener: &Listener,
    exposure: &Exposure,
) -> Result<ReaderSite, ServeError> {
    let token = AccessToken::random().map_err(ServeError::Random)?;
    // Others may meet several servers under one name; on one machine, each has a port of its own.
    let cookie = match exposure {
        Exposure::Loopback => format!("annals-{}", listener.address().port()),
        _ => "annals-reader".to_owned(),
    };
    let guard = Guard::new(token, None, pages.names, cookie, exposure, pages.theme);
    Ok(ReaderSite::new(pages.access, guard))
}

/// Whether a program asks: people have no token in the head of a request.
fn is_program(request: &Request) -> bool {
    let path = request.uri().path();
    path == "/health" || path.starts_with("/v1/") || request.headers().contains_key(AUTHORIZATION)
}

async fn answer(State(state): State<ServiceState>, request: Request) -> Response {
    if let Some(site) = state.site.as_ref().filter(|_| !is_program(&request)) {
        return site.answer(request).await;
    }
    let head = ServiceHead {
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
        sender: sender(&request, state.is_behind_proxy),
        headers: request.headers().clone(),
    };
    let shares = shares_of(head.header(CONTENT_LENGTH.as_str()), state.max_body, state.shares);
    let body = request.into_body();
    let service = Arc::clone(&state.service);
    let admitted = tokio::task::spawn_blocking(move || service.admit(head)).await;
    let handler = match admitted {
        Ok(Ok(handler)) => handler,
        Ok(Err(reply)) => {
            let _ = tokio::time::timeout(MAX_DISCARD, discard(body, state.max_body)).await;
            return response(reply);
        }
        Err(_) => return failure(),
    };
    let Ok(_seat) = state.seats.acquire_many(shares).await else { return failure() };
    let reply = match tokio::time::timeout(MAX_WAIT, to_bytes(body, state.max_body)).await {
        Ok(Ok(bytes)) => match tokio::task::spawn_blocking(move || handler(bytes.into())).await {
            Ok(reply) => reply,
            Err(_) => return failure(),
        },
        Ok(Err(_)) => ServiceReply { status: 413, ..ServiceReply::default() },
        Err(_) => ServiceReply { status: 408, ..ServiceReply::default() },
    };
    response(reply)
}

/// How many shares a body of this length takes; all, if it does not say how long it is.
fn shares_of(length: Option<&str>, max_body: usize, shares: u32) -> u32 {
    let Some(length) = length.and_then(|length| length.parse::<usize>().ok()) else { return shares };
    let share = (max_body / shares as usize).max(1);
    u32::try_from(length.div_ceil(share)).unwrap_or(shares).clamp(1, shares)
}

/// Reads what is left of a body, and drops it.
async fn discard(body: Body, limit: usize) {
    let mut pieces = pin!(body.into_data_stream());
    let mut bytes = 0;
    while let Some(Ok(piece)) = std::future::poll_fn(|context| pieces.as_mut().poll_next(context)).await {
        bytes += piece.len();
        if bytes > limit {
            return;
        }
    }
}

fn failure() -> Response {
    response(ServiceReply { status: 500, ..ServiceReply::default() })
}

fn response(reply: ServiceReply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_body_takes_a_share_and_one_of_unknown_length_takes_all() {
        let of = |length| shares_of(length, 1600, 16);
        assert_eq!(
            [Some("0"), Some("100"), Some("101"), Some("1600"), Some("9999999")].map(of),
            [1, 1, 2, 16, 16]
        );
        assert_eq!([None, Some("x"), Some("-1")].map(of), [16, 16, 16]);
        assert_eq!(shares_of(Some("5"), 100, 1), 1);
        assert_eq!(shares_of(Some("5"), 3, 16), 5);
    }
}
