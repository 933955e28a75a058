//! Listens, and answers each connection within limits of number and time.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::seats::Seats;
use super::stall::StallGuard;
use super::{Exposure, ServeError, ServerLimits};
use crate::guard::PeerAddress;
use crate::tls;

/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 * 1024;
/// How long to wait after the system refused a connection, as with too many open files.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// An address that is listened on.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    limits: ServerLimits,
}

impl Listener {
    /// Checks that others only come in by TLS, and listens. Must be called within a runtime.
    pub(crate) async fn bind(
        bind: SocketAddr,
        exposure: &Exposure,
        mut limits: ServerLimits,
    ) -> Result<Self, ServeError> {
        if let Exposure::BehindProxy = exposure {
            limits.per_address = limits.connections;
        }
        let acceptor = match exposure {
            Exposure::Loopback if !bind.ip().is_loopback() => return Err(ServeError::NeedsTls(bind.ip())),
            Exposure::Tls(files) => Some(tls::acceptor(files)?),
            _ => None,
        };
        let listen = |source| ServeError::Listen { bind, source };
        let socket = TcpListener::bind(bind).await.map_err(listen)?;
        let address = socket.local_addr().map_err(listen)?;
        Ok(Self { socket, address, acceptor, limits })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Scheme, address and port.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.acceptor.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Answers requests until the future is dropped.
    pub(crate) async fn run(self, router: Router) {
        let seats = Seats::new(self.limits.connections, self.limits.per_address);
        loop {
            let Some(place) = seats.place().await else { return };
            let (stream, peer) = match self.socket.accept().await {
                Ok((stream, peer)) => (stream, peer.ip()),
                Err(_) => {
                    tokio::time::sleep(RETRY_DELAY).await;
                    continue;
                }
            };
            let Some(seat) = seats.seat(place, peer) else { continue };
            let (router, acceptor, limits) = (router.clone(), self.acceptor.clone(), self.limits);
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
