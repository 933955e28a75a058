//! The server of the pages: who can reach it, and what it needs for that.

mod limits;
mod listener;
mod seats;
mod stall;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;

pub use limits::ServerLimits;
pub(crate) use listener::Listener;

use crate::guard::{AccessToken, Guard, Password};
use crate::library::Library;
use crate::router;
use crate::tls::{TlsError, TlsFiles};

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
        source: io::Error,
    },
    /// The system has no randomness.
    #[error("cannot generate a token: {0}")]
    Random(getrandom::Error),
}

/// A server that listens, and answers once it is run.
pub struct Server {
    listener: Listener,
    router: Router,
    token: AccessToken,
    library: Arc<Library>,
}

impl Server {
    /// Checks the settings and listens; nothing is answered yet. Must be called within a runtime.
    pub async fn bind(config: ServerConfig, library: Library) -> Result<Self, ServeError> {
        let ServerConfig { bind, exposure, names, password, limits } = config;
        if !matches!(exposure, Exposure::Loopback) && password.is_none() {
            return Err(ServeError::NeedsPassword);
        }
        let listener = Listener::bind(bind, &exposure, limits).await?;
        let token = AccessToken::random().map_err(ServeError::Random)?;
        let cookie = format!("annals-{}", listener.address().port());
        let guard = Guard::new(token.clone(), password, names, cookie, &exposure, library.theme);
        let library = Arc::new(library);
        let router = router::router(Arc::new(guard), Arc::clone(&library), limits.followers);
        Ok(Self { listener, router, token, library })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The token of this start.
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// The address of the first page, with the token.
    pub fn url(&self) -> String {
        format!("{}/?token={}", self.listener.origin(), self.token.reveal())
    }

    /// Answers requests until the future is dropped.
    pub async fn run(self) {
        // The first pages can do without costs; until somebody searches, the index is there.
        let library = Arc::clone(&self.library);
        tokio::task::spawn_blocking(move || library.index_at_start());
        self.listener.run(self.router).await;
    }
}
