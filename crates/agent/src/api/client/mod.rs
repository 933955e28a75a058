//! The API over HTTP: one client for one endpoint. It follows no redirect, reads no environment and says who it is.

mod endpoint;
mod secret_header;
mod tls;

use self::secret_header::secret_header;
use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{NoProxy, Proxy, Response};

use annals_policy::secret::Secret;

use super::failure::{ApiError, Failure, Refusal};
use super::request::Body;
use super::transport::{ByteSource, Head, Opened, RateLimits, Transport};
pub use endpoint::{Credential, CredentialError, Endpoint, EndpointError};

const VERSION: &str = "2023-06-01";
/// No more of an error's body is read.
const MOST_OF_AN_ERROR: usize = 1 << 20;

/// The way through a proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct Detour {
    /// The proxy's address, a name and a password in it or not.
    pub proxy: String,
    /// Hosts that are reached without it, as in `NO_PROXY`.
    pub without: String,
}

impl fmt::Debug for Detour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        formatter.debug_struct("Detour").field("without", &self.without).finish_non_exhaustive()
    }
}

/// What a client is made of.
#[derive(Clone)]
pub struct Settings {
    /// Where the API is.
    pub endpoint: Endpoint,
    /// Who asks.
    pub credential: Credential,
    /// How the client names itself.
    pub user_agent: String,
    /// Further headers, as the person wants them.
    pub headers: Vec<(String, Secret)>,
    /// The proxy, if there is one. What is on this machine is always reached without it.
    pub detour: Option<Detour>,
    /// Certificates to be trusted besides those of the system, in PEM.
    pub trusted: Vec<Vec<u8>>,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A header of the person's may hold a secret: names are enough.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = formatter.debug_struct("Settings");
        shown
            .field("endpoint", &self.endpoint)
            .field("credential", &self.credential)
            .field("headers", &names);
        shown.field("user_agent", &self.user_agent).field("detour", &self.detour).finish_non_exhaustive()
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A header cannot be sent. Its value is not shown: it may be a secret.
    #[error("the header {name:?} cannot be sent")]
    Header {
        /// Its name.
        name: String,
    },
    /// The proxy's address is none.
    #[error("the address of the proxy makes no sense")]
    Proxy,
    /// There is nobody to trust.
    #[error("there are no certificates to trust: neither the system's nor others")]
    NoTrust,
    /// A certificate cannot be read.
    #[error("certificate file {number} cannot be read: {detail}")]
    Certificate {
        /// Which one of those that were given, from 0.
        number: usize,
        /// What is wrong.
        detail: String,
    },
    /// TLS or HTTP could not be set up.
    #[error("no client can be set up: {0}")]
    Setup(String),
}

/// A client of the API over HTTP.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    headers: HeaderMap,
}

impl Client {
    /// Sets a client up; nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, ClientError> {
        let setup = |error: reqwest::Error| ClientError::Setup(root_of(&error));
        let builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .http1_only()
            .tcp_nodelay(true)
            .connect_timeout(settings.connect_timeout)
            .tls_backend_preconfigured(tls::configuration(&settings)?);
        let detour = settings.detour.as_ref().filter(|_| !settings.endpoint.is_loopback);
        let builder = match detour {
            Some(detour) => {
                let proxy = Proxy::all(&detour.proxy).map_err(|_| ClientError::Proxy)?;
                builder.proxy(proxy.no_proxy(NoProxy::from_string(&detour.without)))
            }
            None => builder,
        };
        let http = builder.build().map_err(setup)?;
        Ok(Self { http, headers: headers(&settings)?, endpoint: settings.endpoint })
    }

    fn failure(&self, error: &reqwest::Error) -> Failure {
        let (host, detail) = (self.endpoint.host.clone(), root_of(error));
        match error {
            _ if is_about_tls(error) => Failure::Tls { host, detail },
            error if error.is_connect() => Failure::Connect { host, detail },
            _ => Failure::Broken { host, detail },
        }
    }

    /// An answer that is no message, with as much of its body as will come.
    async fn refusal(&self, status: u16, headers: Vec<(String, String)>, mut answer: Response) -> Failure {
        let mut body = Vec::new();
        // An error whose body breaks off is still that error.
        while let Ok(Some(piece)) = answer.chunk().await {
            body.extend_from_slice(&piece);
            if body.len() > MOST_OF_AN_ERROR {
                body.truncate(MOST_OF_AN_ERROR);
                break;
            }
        }
        Failure::Refused(Box::new(Refusal { status, headers, error: ApiError::of_body(&body) }))
    }
}

impl Transport for Client {
    type Source = Source;

    async fn send(&self, body: &Body) -> Result<Opened<Source>, Failure> {
        let mut request = self.http.post(self.endpoint.messages.clone()).headers(self.headers.clone());
        if !body.betas.is_empty() {
            request = request.header("anthropic-beta", body.betas.join(","));
        }
        let answer = request.body(body.bytes.clone()).send().await.map_err(|error| self.failure(&error))?;
        let status = answer.status().as_u16();
        let headers = names_and_values(answer.headers());
        if status != 200 {
            return Err(self.refusal(status, headers, answer).await);
        }
        let get = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let content_type = get("content-type").unwrap_or_default();
        if !content_type.starts_with("text/event-stream") {
            return Err(Failure::NotAStream { content_type });
        }
        let head = Head { request: get("request-id"), limits: RateLimits::of_headers(&headers) };
        Ok(Opened { head, source: Source { answer, client: self.clone() } })
    }
}

/// The body of an answer over HTTP.
#[derive(Debug)]
pub struct Source {
    answer: Response,
    client: Client,
}

impl ByteSource for Source {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        match self.answer.chunk().await {
            Ok(piece) => Ok(piece.map(|bytes| bytes.to_vec())),
            Err(error) => Err(self.client.failure(&error)),
        }
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    let own = [("user-agent", settings.user_agent.as_str()), ("anthropic-version", VERSION)];
    let given = settings.headers.iter().map(|(name, value)| (name.as_str(), value.reveal()));
    for (name, value) in own.into_iter().chain(given) {
        let wrong = || ClientError::Header { name: name.to_owned() };
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        headers.insert(parsed, secret_header("", value).map_err(|_| wrong())?);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    headers.insert(settings.credential.header, settings.credential.value.clone());
    Ok(headers)
}

fn names_and_values(headers: &HeaderMap) -> Vec<(String, String)> {
    let readable = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), readable(value))).collect()
}

/// The causes of an error, from itself to the first one.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        // An error of the system names as its source not what it wraps but the source of that.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| (*error).source())
    })
}

/// What the first cause says: the others only say that something failed.
fn root_of(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

fn is_about_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}
