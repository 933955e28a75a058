//! Requests to authorization servers: descriptions, registrations, tokens. Redirects are not followed, answers are short JSON.

use std::time::Duration;

use annals_json::{Value, object};
use annals_policy::secret::Secret;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use zeroize::Zeroizing;

use super::super::http::McpHttp;
use super::sign_in::SignInError;
use crate::api::client::{TlsUse, builder, is_loopback, root_cause};

/// The largest answer.
const MAX_BODY: usize = 1 << 20;
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Tokens, as an authorization server gives them.
#[derive(Debug)]
pub(super) struct GivenTokens {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
}

/// A client that an authorization server knows.
#[derive(Clone, Debug)]
pub(super) struct RegisteredClient {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
}

/// Asks authorization servers.
pub(super) struct Exchange<'h> {
    http: &'h McpHttp,
    /// Whether the server itself is on this machine: only then its authorization server may be.
    is_local: bool,
}

impl<'h> Exchange<'h> {
    pub(super) fn new(http: &'h McpHttp, server: &Url) -> Self {
        Self { http, is_local: server.host_str().is_some_and(is_loopback) }
    }

    /// Refuses an address that a server has named and that a token or a code must not go to.
    pub(super) fn checked(&self, url: &str) -> Result<Url, SignInError> {
        let refused = |why: &str| SignInError::Address(url.to_owned(), why.to_owned());
        let parsed = Url::parse(url).map_err(|error| refused(&error.to_string()))?;
        let is_here = parsed.host_str().is_some_and(is_loopback);
        match parsed.scheme() {
            "https" | "http" if is_here && !self.is_local => Err(refused("it is on this machine")),
            "https" => Ok(parsed),
            "http" if is_here => Ok(parsed),
            _ => Err(refused("it is not https")),
        }
    }

    /// Reads a description; `None` if there is none at this address.
    pub(super) async fn description(&self, url: &Url) -> Result<Option<Vec<u8>>, SignInError> {
        let request = self.client(url)?.get(url.clone()).header(ACCEPT, "application/json");
        let (status, body) = self.send(request, url).await?;
        Ok((200..300).contains(&status).then_some(body).filter(|body| Value::parse(body).is_ok()))
    }

    /// Registers a client without a secret.
    pub(super) async fn register(
        &self,
        url: &Url,
        redirect: &str,
        scope: Option<&str>,
    ) -> Result<RegisteredClient, SignInError> {
        let body = object(|client| {
            client.string("client_name", "annals").array("redirect_uris", |list| {
                list.string(redirect);
            });
            client.array("grant_types", |list| {
                list.string("authorization_code").string("refresh_token");
            });
            client.array("response_types", |list| {
                list.string("code");
            });
            client.string("token_endpoint_auth_method", "none").string_if("scope", scope);
        });
        let request = self.client(url)?.post(url.clone()).header(CONTENT_TYPE, "application/json");
        let (status, body) = self.send(request.header(ACCEPT, "application/json").body(body), url).await?;
        let fields = Value::parse(&body).ok().and_then(Value::fields);
        let text = |key: &str| Some(fields.as_ref()?.text(key)?.into_string());
        match text("client_id").filter(|_| (200..300).contains(&status)) {
            Some(id) => Ok(RegisteredClient { id, secret: text("client_secret").map(Secret::from) }),
            None => Err(SignInError::Registration(reason(status, &body))),
        }
    }

    /// Asks for tokens.
    pub(super) async fn tokens(&self, url: &Url, form: &[(&str, &str)]) -> Result<GivenTokens, SignInError> {
        let request = self.client(url)?.post(url.clone()).header(ACCEPT, "application/json");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let (status, body) = self.send(request.body(encoded(form)), url).await?;
        let body = Zeroizing::new(body);
        let fields = Value::parse(&body).ok().and_then(Value::fields);
        let text = |key: &str| Some(fields.as_ref()?.text(key)?.into_string());
        let is_bearer = text("token_type").is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"));
        match text("access_token").filter(|_| (200..300).contains(&status) && is_bearer) {
            Some(access) => {
                Ok(GivenTokens { access: access.into(), refresh: text("refresh_token").map(Secret::from) })
            }
            None => Err(SignInError::Refused(reason(status, &body))),
        }
    }

    fn client(&self, url: &Url) -> Result<Client, SignInError> {
        let is_here = url.host_str().is_some_and(is_loopback);
        let tls = if url.scheme() == "https" { TlsUse::Needed } else { TlsUse::None };
        let failed = |why: String| SignInError::Unreachable(url.to_string(), why);
        let proxy = self.http.proxy.as_ref().filter(|_| !is_here);
        let builder = builder(proxy, &self.http.trusted, tls).map_err(|error| failed(error.to_string()))?;
        let builder = builder.redirect(Policy::none()).timeout(TIMEOUT).user_agent(&self.http.user_agent);
        builder.build().map_err(|error| failed(root_cause(&error)))
    }

    async fn send(&self, request: RequestBuilder, url: &Url) -> Result<(u16, Vec<u8>), SignInError> {
        let failed = |error: &reqwest::Error| SignInError::Unreachable(url.to_string(), root_cause(error));
        let mut response = request.send().await.map_err(|error| failed(&error))?;
        let (status, mut body) = (response.status().as_u16(), Vec::new());
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY {
                return Err(SignInError::Unreachable(url.to_string(), "the answer is too long".to_owned()));
            }
        }
        Ok((status, body))
    }
}

/// Returns what an error says, by the names that OAuth gives them; never the answer itself.
fn reason(status: u16, body: &[u8]) -> String {
    let fields = Value::parse(body).ok().and_then(Value::fields);
    let text = |key: &str| Some(fields.as_ref()?.text(key)?.head(200).into_owned());
    match (text("error"), text("error_description")) {
        (Some(error), Some(more)) => format!("{error}: {more}"),
        (Some(error), None) => error,
        _ => format!("it answered {status}"),
    }
}

/// Returns the body of a form.
fn encoded(form: &[(&str, &str)]) -> String {
    let mut url = Url::parse("form:").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().extend_pairs(form);
    }
    url.and_then(|url| url.query().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http() -> McpHttp {
        McpHttp { proxy: None, trusted: Vec::new(), user_agent: "test".to_owned() }
    }

    #[test]
    fn addresses_are_encrypted_and_not_of_this_machine_unless_the_server_is() {
        let http = http();
        let of =
            |server: &str, url: &str| Exchange::new(&http, &Url::parse(server).unwrap()).checked(url).is_ok();
        assert!(of("https://h/mcp", "https://auth.example/token"));
        assert!(!of("https://h/mcp", "http://auth.example/token"));
        assert!(!of("https://h/mcp", "http://127.0.0.1:80/token"));
        assert!(!of("https://h/mcp", "https://localhost/token"));
        assert!(of("http://127.0.0.1:1/mcp", "http://127.0.0.1:2/token"));
        assert!(!of("https://h/mcp", "file:///etc/passwd"));
        assert!(!of("https://h/mcp", "nowhere"));
    }

    #[test]
    fn forms_are_encoded() {
        assert_eq!(encoded(&[("a", "b c&d"), ("e", "é")]), "a=b+c%26d&e=%C3%A9");
    }

    #[test]
    fn reasons_are_those_that_the_standard_names() {
        assert_eq!(
            reason(400, br#"{"error":"invalid_grant","error_description":"too old"}"#),
            "invalid_grant: too old"
        );
        assert_eq!(reason(500, b"secret"), "it answered 500");
    }
}
