//! The HTTP client for one endpoint. It follows no redirects, reads no environment variables and names itself.

mod endpoint;
mod secret_header;
mod tls;

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{NoProxy, Proxy, Response};

use annals_policy::secret::Secret;

use super::failure::{ApiError, ErrorResponse, Failure};
use super::request::RequestBody;
use super::transport::{ByteSource, RateLimits, ResponseHead, ResponseStream, Transport};
pub(crate) use endpoint::is_loopback;
pub use endpoint::{Credential, CredentialError, Endpoint, EndpointError};
pub(crate) use secret_header::secret_header;
pub(crate) use tls::TlsUse;

const VERSION: &str = "2023-06-01";
/// The most bytes read of an error's body.
const MAX_ERROR_BYTES: usize = 1 << 20;

/// The proxy to use.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyConfig {
    /// The address of the proxy, with or without credentials.
    pub url: String,
    /// Hosts that are reached without the proxy, as in `NO_PROXY`.
    pub no_proxy: String,
}

impl fmt::Debug for ProxyConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        formatter.debug_struct("ProxyConfig").field("no_proxy", &self.no_proxy).finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub struct ClientSettings {
    /// The address of the API.
    pub endpoint: Endpoint,
    pub credential: Credential,
    /// The `user-agent` header.
    pub user_agent: String,
    /// Additional headers.
    pub headers: Vec<(String, Secret)>,
    /// The proxy; never used for loopback.
    pub proxy: Option<ProxyConfig>,
    /// Trusted certificates besides those of the system, in PEM.
    pub trusted: Vec<Vec<u8>>,
    /// The longest time to connect.
    pub connect_timeout: Duration,
}

impl fmt::Debug for ClientSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A header may hold a secret: print the names alone.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = formatter.debug_struct("Settings");
        shown
            .field("endpoint", &self.endpoint)
            .field("credential", &self.credential)
            .field("headers", &names);
        shown.field("user_agent", &self.user_agent).field("proxy", &self.proxy).finish_non_exhaustive()
    }
}

/// Why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A header is invalid. Its value is not shown: it may be a secret.
    #[error("the header {name:?} cannot be sent")]
    Header {
        /// The name of the header.
        name: String,
    },
    /// The address of the proxy is invalid.
    #[error("the proxy URL is invalid")]
    Proxy,
    /// There are no trusted certificates.
    #[error("no trusted certificates: neither system nor additional ones")]
    NoTrust,
    /// A certificate is invalid.
    #[error("cannot read certificate file {number}: {detail}")]
    Certificate {
        /// The index of the certificate file, from 0.
        number: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// TLS or HTTP could not be set up.
    #[error("cannot set up the HTTP client: {0}")]
    Setup(String),
}

/// An HTTP client of the API.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    headers: HeaderMap,
}

impl Client {
    /// Creates a client; sends nothing.
    pub fn new(settings: ClientSettings) -> Result<Self, ClientError> {
        let is_secure = settings.endpoint.messages.scheme() == "https";
        let tls = if is_secure { TlsUse::Needed } else { TlsUse::None };
        let proxy = settings.proxy.as_ref().filter(|_| !settings.endpoint.is_loopback);
        let builder = builder(proxy, &settings.trusted, tls)?.redirect(Policy::none());
        let builder = builder.connect_timeout(settings.connect_timeout);
        let http = builder.build().map_err(|error| ClientError::Setup(root_cause(&error)))?;
        Ok(Self { http, headers: headers(&settings)?, endpoint: settings.endpoint })
    }

    fn failure(&self, error: &reqwest::Error) -> Failure {
        let (host, detail) = (self.endpoint.host.clone(), root_cause(error));
        match error {
            _ if is_tls_error(error) => Failure::Tls { host, detail },
            error if error.is_connect() => Failure::Connect { host, detail },
            _ => Failure::Broken { host, detail },
        }
    }

    /// Reads an error response, with as much of its body as comes.
    async fn refusal(&self, status: u16, headers: Vec<(String, String)>, mut answer: Response) -> Failure {
        let mut body = Vec::new();
        // An error with an incomplete body is still that error.
        while let Ok(Some(piece)) = answer.chunk().await {
            body.extend_from_slice(&piece);
            if body.len() > MAX_ERROR_BYTES {
                body.truncate(MAX_ERROR_BYTES);
                break;
            }
        }
        Failure::Refused(Box::new(ErrorResponse { status, headers, error: ApiError::of_body(&body) }))
    }
}

impl Transport for Client {
    type Source = HttpBody;

    async fn send(&self, body: &RequestBody) -> Result<ResponseStream<HttpBody>, Failure> {
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
        let head = ResponseHead { request: get("request-id"), limits: RateLimits::of_headers(&headers) };
        Ok(ResponseStream { head, source: HttpBody { answer, client: self.clone() } })
    }
}

/// Returns what every HTTP client here has in common: no environment, one crypto provider, the given proxy.
pub(crate) fn builder(
    proxy: Option<&ProxyConfig>,
    trusted: &[Vec<u8>],
    tls: TlsUse,
) -> Result<reqwest::ClientBuilder, ClientError> {
    let builder = reqwest::Client::builder().no_proxy().http1_only().tcp_nodelay(true);
    let builder = builder.tls_backend_preconfigured(tls::configuration(trusted, tls)?);
    Ok(match proxy {
        Some(config) => {
            let proxy = Proxy::all(&config.url).map_err(|_| ClientError::Proxy)?;
            builder.proxy(proxy.no_proxy(NoProxy::from_string(&config.no_proxy)))
        }
        None => builder,
    })
}

/// The body of a response over HTTP.
#[derive(Debug)]
pub struct HttpBody {
    answer: Response,
    client: Client,
}

impl ByteSource for HttpBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        match self.answer.chunk().await {
            Ok(piece) => Ok(piece.map(|bytes| bytes.to_vec())),
            Err(error) => Err(self.client.failure(&error)),
        }
    }
}

fn headers(settings: &ClientSettings) -> Result<HeaderMap, ClientError> {
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

/// Iterates over an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        // `io::Error::source` skips the error that it wraps.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| (*error).source())
    })
}

/// Returns the message of the first cause: the others say only that something failed.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

fn is_tls_error(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}
