//! The HTTP client: one POST at a time on a separate connection. It follows no redirects, uses no proxies, and reads no
//! environment.

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::Body;
use reqwest::header::{CONNECTION, RETRY_AFTER};
use reqwest::redirect::Policy;
use tokio::runtime::Builder;

use super::tls::{Trust, distrust};
use super::upload::Upload;
use super::url::{Scheme, Url};
use crate::retry::RetryAfter;

/// The slowest upload to wait for, in bytes per second.
pub(super) const MIN_UPLOAD_RATE: u64 = 8 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Nothing listens there, or it cannot be reached.
    #[error("cannot connect: {0}")]
    Connect(String),
    /// It took too long.
    #[error("no response within {0:?}")]
    TimedOut(Duration),
    /// The connection ended.
    #[error("the connection closed before the response: {0}")]
    Broken(String),
    /// The answer is not about what was sent.
    #[error("the response came before the batch was sent")]
    Early,
    /// The receiver is not who it should be, or cannot prove it.
    #[error("{0}")]
    Untrusted(String),
    /// Nothing can be sent from here.
    #[error("cannot set up an HTTP client: {0}")]
    Setup(#[from] io::Error),
}

/// A client of one receiver.
pub struct Client {
    pub(super) http: reqwest::Client,
    pub(super) url: reqwest::Url,
    pub(super) timeout: Duration,
}

/// The head of an answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) retry_after: Option<RetryAfter>,
    /// The items that were refused, as the receiver wrote it.
    pub(super) refused: Option<String>,
    pub(super) reason: Option<String>,
    /// How many items were acknowledged and not taken, because they were forgotten.
    pub(super) forgotten: u64,
}

impl Client {
    /// Sets a client up; nothing is sent yet.
    pub fn new(url: &Url, trust: Option<&Trust>, timeout: Duration) -> Result<Self, RequestError> {
        let config = match trust {
            Some(trust) => trust.config(),
            None => Trust::none().map_err(io::Error::other)?.config(),
        };
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .http1_only()
            .https_only(url.scheme == Scheme::Https)
            .pool_max_idle_per_host(0)
            .connect_timeout(timeout)
            .tls_backend_preconfigured(config)
            .build()
            .map_err(io::Error::other)?;
        Ok(Self { http, url: url.parsed.clone(), timeout })
    }

    /// Sends a body and waits for the head of the answer; the body of the answer is not read.
    pub(super) fn post(&self, headers: &[(&str, String)], body: Vec<u8>) -> Result<Answer, RequestError> {
        let bytes = body.len() as u64;
        let timeout = self.timeout + Duration::from_millis(bytes.saturating_mul(1000) / MIN_UPLOAD_RATE);
        let (upload, progress) = Upload::new(body);
        let mut request = self.http.post(self.url.clone()).timeout(timeout).header(CONNECTION, "close");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Body::wrap(upload));
        // A runtime for one request: the connection ends with it.
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let response = runtime.block_on(async { request.send().await });
        // A name may still be looked up after the time is up.
        runtime.shutdown_background();
        let response = response.map_err(|error| self.failure(&error, timeout))?;
        if response.status().is_success() && !progress.is_complete() {
            return Err(RequestError::Early);
        }
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Ok(Answer {
            status: response.status().as_u16(),
            retry_after: header(RETRY_AFTER.as_str()).as_deref().and_then(RetryAfter::parse),
            refused: header("annals-refused"),
            reason: header("annals-reason"),
            forgotten: header("annals-forgotten").and_then(|count| count.parse().ok()).unwrap_or(0),
        })
    }

    pub(super) fn failure(&self, error: &reqwest::Error, timeout: Duration) -> RequestError {
        let root = || causes(error).last().map_or_else(String::new, ToString::to_string);
        if let Some(reason) = causes(error).find_map(|cause| distrust(cause.downcast_ref()?)) {
            return RequestError::Untrusted(reason);
        }
        match error {
            _ if error.is_timeout() && error.is_connect() => RequestError::TimedOut(self.timeout),
            _ if error.is_timeout() => RequestError::TimedOut(timeout),
            _ if error.is_connect() => RequestError::Connect(root()),
            _ => RequestError::Broken(root()),
        }
    }
}

/// An error and its causes, from the outermost to the first.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        // An `io::Error` gives as its source not the error that it wraps but the source of that.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| (*error).source())
    })
}
