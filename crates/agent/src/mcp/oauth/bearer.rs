//! The token that is sent to one server, and its renewal when the server no longer takes it.

use std::time::Duration;

use annals_policy::secret::Secret;
use reqwest::Url;
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::super::http::McpHttp;
use super::exchange::Exchange;
use super::sign_in::SignInError;
use super::tokens::{StoredToken, TokenFile};

/// How often, and after which pause each, the lock of the tokens is asked for.
const LOCK_CHECKS: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// Gives the token of one server.
pub(in super::super) struct BearerSource {
    file: TokenFile,
    server: String,
    url: String,
    http: McpHttp,
    /// Only one at a time renews it.
    renewing: Mutex<()>,
}

impl BearerSource {
    pub(in super::super) fn new(file: TokenFile, server: &str, url: String, http: McpHttp) -> Self {
        Self { file, server: server.to_owned(), url, http, renewing: Mutex::new(()) }
    }

    /// Returns the token; `None` if nobody has signed in. A file that cannot be read counts the same: the server says what is missing.
    pub(in super::super) fn token(&self) -> Option<Secret> {
        self.stored().map(|token| token.access)
    }

    /// Returns a newer token than one that the server has refused; `None` if there is none to be had.
    pub(in super::super) async fn renewed(&self, refused: &Secret) -> Option<Secret> {
        let _only_one = self.renewing.lock().await;
        // Authorization servers may take a token for renewal only once: two processes must not both use it.
        let mut lock = None;
        for _ in 0..LOCK_CHECKS {
            lock = self.file.try_lock().ok()?;
            if lock.is_some() {
                break;
            }
            sleep(LOCK_PAUSE).await;
        }
        let _lock = lock?;
        let known = self.stored()?;
        if known.access != *refused {
            return Some(known.access);
        }
        let given = self.ask(&known).await.ok()?;
        let access = given.access.clone();
        self.file.set(given).ok()?;
        Some(access)
    }

    async fn ask(&self, known: &StoredToken) -> Result<StoredToken, SignInError> {
        let Some(refresh) = &known.refresh else { return Err(SignInError::Refused(String::new())) };
        let server = Url::parse(&self.url)
            .map_err(|error| SignInError::Address(self.url.clone(), error.to_string()))?;
        let exchange = Exchange::new(&self.http, &server);
        let endpoint = exchange.checked(&known.token_endpoint)?;
        let mut form = vec![("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())];
        form.extend([("client_id", known.client_id.as_str()), ("resource", self.url.as_str())]);
        form.extend(known.client_secret.as_ref().map(|secret| ("client_secret", secret.reveal())));
        let given = exchange.tokens(&endpoint, &form).await?;
        // One that is not replaced stays valid.
        let refresh = given.refresh.or_else(|| known.refresh.clone());
        Ok(StoredToken { access: given.access, refresh, ..known.clone() })
    }

    fn stored(&self) -> Option<StoredToken> {
        self.file.of(&self.server, &self.url).ok().flatten()
    }
}
