//! Signs in to a server: asks it who may give tokens, lets the user agree in a browser, and stores what comes of it.

use std::time::Duration;

use annals_store::source::Source;
use reqwest::Url;
use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};
use tokio::time::timeout;

use super::super::config::RemoteServer;
use super::super::http::{HttpEndpoint, McpHttp};
use super::super::message;
use super::callback::{BrowserReturn, Callback};
use super::discovery::{AuthorizationServer, Challenge, described_at, discover};
use super::exchange::{Exchange, RegisteredClient};
use super::pkce::{CodeVerifier, random_text};
use super::tokens::{StoredToken, TokenFile, TokenFileError};

/// How long the user may take in the browser.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// Why signing in failed.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The server takes requests without a token.
    #[error("the server does not require a sign-in: it answered {0}")]
    NotWanted(u16),
    /// Something cannot be reached.
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// An address must not be used.
    #[error("the address {0:?} is not allowed: {1}")]
    Address(String, String),
    /// There is no description of an authorization server.
    #[error("{0} does not say where to sign in")]
    NotDescribed(String),
    /// A description is of another server.
    #[error("the metadata is for another server: {0:?}")]
    OtherServer(String),
    /// The authorization server does not tie codes to those who asked.
    #[error("the authorization server {0:?} does not support PKCE with S256")]
    NoProof(String),
    /// The authorization server registers no clients.
    #[error(
        "the authorization server does not support dynamic client registration: set oauth.clientId in the definition"
    )]
    NoRegistration,
    /// The client was not registered.
    #[error("the authorization server did not register annals: {0}")]
    Registration(String),
    /// No port could be opened.
    #[error("cannot open a port for the browser to return to: {0}")]
    Port(String),
    /// The user or the authorization server said no.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Nobody came back.
    #[error("nobody signed in within {} minutes", MAX_WAIT.as_secs() / 60)]
    Late,
    /// The token could not be stored.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
}

/// A sign-in to one server.
pub struct SignIn<'s> {
    /// The name of the server.
    pub server: &'s str,
    /// How it is reached.
    pub remote: &'s RemoteServer,
    /// How servers are reached over HTTP.
    pub http: &'s McpHttp,
    /// Where the token is stored.
    pub tokens: &'s TokenFile,
    /// Random numbers.
    pub source: &'s dyn Source,
}

impl SignIn<'_> {
    /// Signs in. `open` shows the user the address where they agree.
    pub async fn run(&self, open: impl FnOnce(&str)) -> Result<(), SignInError> {
        let address = self.remote.comparable_url();
        let server =
            Url::parse(&address).map_err(|error| SignInError::Address(address.clone(), error.to_string()))?;
        let exchange = Exchange::new(self.http, &server);
        exchange.checked(&address)?;
        let challenge = self.challenge().await?;
        let oauth = &self.remote.oauth;
        let (authority, wanted) = match &oauth.metadata_url {
            Some(url) => (described_at(&exchange, url).await?, challenge.scope.clone()),
            None => discover(&exchange, &server, &challenge).await?,
        };
        let scope = oauth.scopes.clone().or(wanted);
        let callback = Callback::open(oauth.callback_port).await?;
        let redirect = callback.address();
        let client = self.client(&exchange, &authority, (&redirect, scope.as_deref())).await?;
        let (proof, state) = (CodeVerifier::new(self.source), random_text(self.source));
        let mut question = authority.authorization.clone();
        question.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", &redirect),
            ("code_challenge", &proof.challenge),
            ("code_challenge_method", "S256"),
            ("state", &state),
            ("resource", &address),
        ]);
        if let Some(scope) = &scope {
            question.query_pairs_mut().append_pair("scope", scope);
        }
        open(question.as_str());
        let returned = timeout(MAX_WAIT, callback.wait(&state, authority.issuer.as_deref())).await;
        let code = match returned.map_err(|_| SignInError::Late)?? {
            BrowserReturn::Code(code) => code,
            BrowserReturn::Error(why) => return Err(SignInError::Refused(why)),
        };
        let mut form = vec![("grant_type", "authorization_code"), ("code", code.as_str())];
        form.extend([("redirect_uri", redirect.as_str()), ("client_id", client.id.as_str())]);
        form.extend([("code_verifier", proof.verifier.reveal()), ("resource", address.as_str())]);
        form.extend(client.secret.as_ref().map(|secret| ("client_secret", secret.reveal())));
        let given = exchange.tokens(&authority.token, &form).await?;
        self.tokens.set(StoredToken {
            server: self.server.to_owned(),
            url: address.clone(),
            access: given.access,
            refresh: given.refresh,
            token_endpoint: authority.token.to_string(),
            client_id: client.id,
            client_secret: client.secret,
        })?;
        Ok(())
    }

    /// Asks the server without a token, and returns what it says about signing in.
    async fn challenge(&self) -> Result<Challenge, SignInError> {
        let failed = |why: String| SignInError::Unreachable(self.remote.url.clone(), why);
        let endpoint = HttpEndpoint::new(self.http, (self.server, &self.remote.url), &[], None);
        let endpoint = endpoint.map_err(|error| failed(error.to_string()))?;
        let asked = message::request(0, "ping", |_| {});
        let response = endpoint.post(&endpoint.url, HeaderMap::new(), asked).await;
        let response = response.map_err(|error| failed(error.to_string()))?;
        let status = response.status().as_u16();
        if status != 401 {
            return Err(SignInError::NotWanted(status));
        }
        let header = response.headers().get(WWW_AUTHENTICATE).and_then(|header| header.to_str().ok());
        Ok(header.map(Challenge::parse).unwrap_or_default())
    }

    async fn client(
        &self,
        exchange: &Exchange<'_>,
        authority: &AuthorizationServer,
        (redirect, scope): (&str, Option<&str>),
    ) -> Result<RegisteredClient, SignInError> {
        match (&self.remote.oauth.client_id, &authority.registration) {
            (Some(id), _) => Ok(RegisteredClient { id: id.clone(), secret: None }),
            (None, Some(url)) => exchange.register(url, redirect, scope).await,
            (None, None) => Err(SignInError::NoRegistration),
        }
    }
}
