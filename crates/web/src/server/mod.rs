//! Listens, and answers each connection within limits of number and time.

mod limits;
mod seats;
mod stall;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub use limits::ServerLimits;
use seats::Seats;
use stall::StallGuard;

use crate::guard::{AccessToken, Guard, Password, PeerAddress};
use crate::library::Library;
use crate::router;
use crate::tls::{self, TlsError, TlsFiles};

/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 * 1024;
/// How long to wait after the system refused a connection, as with too many open files.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Who can reach the server, and how.
#[derive(Debug)]
pub enum Exposure {
    /// This machine only.
    Loopback,
    /// Others, by TLS.
    Tls(TlsFiles),
    /// Others, by a proxy that does TLS.
    BehindProxy,
}

/// How to serve.
#[derive(Debug)]
pub struct ServerConfig {
    /// The address to listen on.
    pub bind: SocketAddr,
    /// Who can reach it.
    pub exposure: Exposure,
    /// Names of this server, besides `localhost` and addresses.
    pub names: Vec<String>,
    /// The password; needed beyond loopback.
    pub password: Option<Password>,
    /// What it takes on.
    pub limits: ServerLimits,
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// An address that others reach, without TLS.
    #[error("{0} can be reached by others, so it needs TLS")]
    NeedsTls(IpAddr),
    /// An address that others reach, without a password.
    #[error("what others can reach needs a password")]
    NeedsPassword,
    /// The certificate or key is wrong.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address cannot be listened on.
    #[error("cannot listen on {bind}: {source}")]
    Listen {
        /// The address.
        bind: SocketAddr,
        /// The system error.
        source: io::Error,
    },
    /// The system has no randomness.
    #[error("cannot draw a token: {0}")]
    Random(getrandom::Error),
}

/// A server that listens, and answers once it is run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    token: AccessToken,
    library: Arc<Library>,
    limits: ServerLimits,
}

impl Server {
    /// Checks the settings and listens; nothing is answered yet. Must be called within a runtime.
    pub async fn bind(config: ServerConfig, library: Library) -> Result<Self, ServeError> {
        let ServerConfig { bind, exposure, names, password, mut limits } = config;
        if let Exposure::BehindProxy = exposure {
            limits.per_address = limits.connections;
        }
        match exposure {
            Exposure::Loopback if !bind.ip().is_loopback() => return Err(ServeError::NeedsTls(bind.ip())),
            Exposure::Loopback => {}
            _ if password.is_none() => return Err(ServeError::NeedsPassword),
            _ => {}
        }
        let acceptor = match &exposure {
            Exposure::Tls(files) => Some(tls::acceptor(files)?),
            _ => None,
        };
        let listen = |source| ServeError::Listen { bind, source };
        let listener = TcpListener::bind(bind).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let token = AccessToken::random().map_err(ServeError::Random)?;
        let guard = Guard::new(token.clone(), password, names, address.port(), &exposure, library.theme);
        let library = Arc::new(library);
        let router = router::router(Arc::new(guard), Arc::clone(&library), limits.followers);
        Ok(Self { listener, address, acceptor, router, token, library, limits })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token of this start.
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// The address of the first page, with the token.
    pub fn url(&self) -> String {
        let scheme = if self.acceptor.is_some() { "https" } else { "http" };
        format!("{scheme}://{}/?token={}", self.address, self.token.reveal())
    }

    /// Answers requests until the future is dropped.
    pub async fn run(self) {
        // The first pages can do without costs; until somebody searches, the index is there.
        let library = Arc::clone(&self.library);
        tokio::task::spawn_blocking(move || library.index_at_start());
        let seats = Seats::new(self.limits.connections, self.limits.per_address);
        loop {
            let Some(place) = seats.place().await else { return };
            let (stream, peer) = match self.listener.accept().await {
                Ok((stream, peer)) => (stream, peer.ip()),
                Err(_) => {
                    tokio::time::sleep(RETRY_DELAY).await;
                    continue;
                }
            };
            let Some(seat) = seats.seat(place, peer) else { continue };
            let (router, acceptor, limits) = (self.router.clone(), self.acceptor.clone(), self.limits);
            tokio::spawn(async move {
                connection(stream, PeerAddress(peer), acceptor, router, limits).await;
                drop(seat);
            });
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: PeerAddress,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    limits: ServerLimits,
) {
    // Fragments are small and people wait for them.
    let _ = stream.set_nodelay(true);
    let stream = StallGuard::new(stream, limits.stall);
    match acceptor {
        None => answer(stream, peer, router, limits.arrival).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(limits.arrival, acceptor.accept(stream)).await {
                answer(stream, peer, router, limits.arrival).await;
            }
        }
    }
}

/// Answers the requests of a connection; what goes wrong with it concerns nobody else.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: PeerAddress,
    router: Router,
    arrival: Duration,
) {
    let pages = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        pages.call(request)
    });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(arrival)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
