//! Fetches one page: every hop is resolved once, checked, and requested from the address that was checked.

use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::address::FetchScope;

/// The most redirects on one host.
const MAX_HOPS: usize = 5;
/// The largest page.
const MAX_BYTES: usize = 10 << 20;
/// The longest address, in bytes.
const MAX_ADDRESS: usize = 2000;
/// How long a page is cached, and how many are.
const CACHE_TIME: Duration = Duration::from_secs(15 * 60);
const MAX_CACHED: usize = 50;

/// Finds the addresses of a host.
pub trait Resolver: Send + Sync {
    /// All addresses of the host.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send + 'a>>;
}

/// Resolves names as this machine does.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send + 'a>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, port)).await;
            found.map(|addresses| addresses.map(|address| address.ip()).collect()).unwrap_or_default()
        })
    }
}

/// How pages are fetched.
pub struct WebSettings {
    /// Which addresses may be reached.
    pub scope: FetchScope,
    /// Resolves host names.
    pub resolver: Box<dyn Resolver>,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Certificates to trust besides those of the system, in PEM.
    pub trusted: Vec<Vec<u8>>,
    /// The time limit for a page.
    pub time: Duration,
}

#[derive(Clone, Debug)]
pub(super) struct FetchedPage {
    pub(super) url: String,
    pub(super) code: u16,
    pub(super) code_text: String,
    pub(super) content_type: String,
    pub(super) bytes: Arc<[u8]>,
}

pub(super) enum FetchOutcome {
    FetchedPage(FetchedPage),
    /// It is on another host: the caller decides whether to go there.
    Elsewhere {
        from: String,
        to: String,
        code: u16,
    },
}

/// Why a page could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{0:?} is not the URL of a web page.")]
    NoAddress(String),
    #[error("Only https is supported, not {0}.")]
    Scheme(String),
    #[error("The URL contains a user name or password: not fetched.")]
    Credentials,
    #[error("Host not found: {0}.")]
    NotFound(String),
    #[error("{host} is at {address}, which is not on the public internet: not fetched.")]
    Private { host: String, address: IpAddr },
    #[error("More than {MAX_HOPS} redirects.")]
    TooManyHops,
    #[error("The page is larger than {MAX_BYTES} bytes.")]
    TooLarge,
    #[error("The page did not load within {} seconds.", .0.as_secs())]
    TooSlow(Duration),
    #[error("No trusted certificates.")]
    NoTrust,
    #[error("The page could not be fetched: {0}")]
    Broken(String),
}

/// Fetches pages.
pub(super) struct PageFetcher {
    settings: WebSettings,
    cache: Mutex<HashMap<String, (Instant, FetchedPage)>>,
}

impl PageFetcher {
    pub(super) fn new(settings: WebSettings) -> Self {
        Self { settings, cache: Mutex::default() }
    }

    /// The page at an address.
    pub(super) async fn fetch(&self, address: &str) -> Result<FetchOutcome, FetchError> {
        let url = self.parse(address)?;
        if let Some(page) = self.cached(url.as_str()) {
            return Ok(FetchOutcome::FetchedPage(page));
        }
        let time = self.settings.time;
        let fetched = tokio::time::timeout(time, self.follow(url.clone())).await;
        let fetched = fetched.map_err(|_| FetchError::TooSlow(time))??;
        if let FetchOutcome::FetchedPage(page) = &fetched
            && page.code == 200
        {
            self.note(url.as_str(), page);
        }
        Ok(fetched)
    }

    /// Parses an address; http becomes https.
    pub(super) fn parse(&self, address: &str) -> Result<Url, FetchError> {
        let none = || FetchError::NoAddress(address.chars().take(200).collect());
        if address.len() > MAX_ADDRESS {
            return Err(none());
        }
        let mut url = Url::parse(address.trim()).map_err(|_| none())?;
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(none)?;
        let is_here = literal(host).is_some_and(|address| address.is_loopback());
        match url.scheme() {
            "https" => {}
            "http" if is_here && self.settings.scope == FetchScope::PublicAndLoopback => {}
            "http" => url.set_scheme("https").map_err(|()| none())?,
            other => return Err(FetchError::Scheme(other.to_owned())),
        }
        Ok(url)
    }

    async fn follow(&self, start: Url) -> Result<FetchOutcome, FetchError> {
        let mut url = start;
        for _ in 0..MAX_HOPS {
            let answer = self.ask(&url).await?;
            let code = answer.status().as_u16();
            let to = answer
                .headers()
                .get(LOCATION)
                .and_then(|to| to.to_str().ok())
                .filter(|_| (300..400).contains(&code));
            let Some(to) = to else { return Ok(FetchOutcome::FetchedPage(read(url, answer).await?)) };
            let spelled = url.join(to).map_err(|_| FetchError::NoAddress(to.chars().take(200).collect()))?;
            let next = self.parse(spelled.as_str())?;
            if place(&next) != place(&url) {
                return Ok(FetchOutcome::Elsewhere { from: url.into(), to: next.into(), code });
            }
            url = next;
        }
        Err(FetchError::TooManyHops)
    }

    /// Sends a request to the addresses that were checked, and to no others.
    async fn ask(&self, url: &Url) -> Result<Response, FetchError> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(443);
        let addresses = match literal(host) {
            Some(address) => vec![address],
            None => self.settings.resolver.resolve(host, port).await,
        };
        if addresses.is_empty() {
            return Err(FetchError::NotFound(host.to_owned()));
        }
        // One private address makes all of them suspect.
        if let Some(address) = addresses.iter().find(|address| !self.settings.scope.includes(**address)) {
            return Err(FetchError::Private { host: host.to_owned(), address: *address });
        }
        let pinned: Vec<SocketAddr> =
            addresses.iter().map(|address| SocketAddr::new(*address, port)).collect();
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .http1_only()
            .pool_max_idle_per_host(0)
            .user_agent(&self.settings.user_agent)
            .resolve_to_addrs(host, &pinned)
            .tls_backend_preconfigured(self.trust(url)?)
            .build()
            .map_err(broken)?;
        let request =
            client.get(url.clone()).header(ACCEPT, "text/markdown, text/html, text/*;q=0.9, */*;q=0.5");
        request.send().await.map_err(broken)
    }

    fn trust(&self, url: &Url) -> Result<ClientConfig, FetchError> {
        let mut roots = RootCertStore::empty();
        if url.scheme() == "https" {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            let named =
                self.settings.trusted.iter().flat_map(|file| CertificateDer::pem_slice_iter(file)).flatten();
            roots.add_parsable_certificates(named);
            if roots.is_empty() {
                return Err(FetchError::NoTrust);
            }
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| FetchError::Broken(error.to_string()))?;
        Ok(builder.with_root_certificates(roots).with_no_client_auth())
    }

    fn cached(&self, url: &str) -> Option<FetchedPage> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.retain(|_, (since, _)| since.elapsed() < CACHE_TIME);
        cache.get(url).map(|(_, page)| page.clone())
    }

    fn note(&self, url: &str, page: &FetchedPage) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(url.to_owned(), (Instant::now(), page.clone()));
    }
}

/// A host that is an IP address. The URL parser has normalised decimal, octal and short forms.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// What must stay the same from one redirect to the next; `www.` makes no difference.
fn place(url: &Url) -> (String, Option<u16>, String) {
    let host = url.host_str().unwrap_or_default();
    (
        url.scheme().to_owned(),
        url.port_or_known_default(),
        host.strip_prefix("www.").unwrap_or(host).to_owned(),
    )
}

async fn read(url: Url, mut answer: Response) -> Result<FetchedPage, FetchError> {
    let (code, header) = (answer.status(), answer.headers().get(CONTENT_TYPE));
    let content_type = header.and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(broken)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_BYTES {
            return Err(FetchError::TooLarge);
        }
    }
    let code_text = code.canonical_reason().unwrap_or_default().to_owned();
    Ok(FetchedPage { url: url.into(), code: code.as_u16(), code_text, content_type, bytes: bytes.into() })
}

fn broken(error: reqwest::Error) -> FetchError {
    let mut root: &dyn std::error::Error = &error;
    while let Some(source) = root.source() {
        root = source;
    }
    FetchError::Broken(root.to_string())
}
