//! Addresses as handlers: the input is posted, the answer is the body.

use std::ffi::OsString;

use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;

use crate::api::client::{TlsUse, builder};
use crate::hooks::{HookCall, HookFuture, HookHandler, HookReply, OutputKind};

/// The most bytes of an answer that are read.
const MAX_ANSWER: usize = 1 << 20;

/// An address.
pub(super) struct HttpHook {
    url: String,
    /// The client and the headers, or why there are none.
    client: Result<(Client, HeaderMap), String>,
}

impl HttpHook {
    /// Creates the handler. `$NAME` and `${NAME}` in headers are the variables of these names; others are empty.
    pub(super) fn new(
        url: String,
        headers: Vec<(String, String)>,
        names: &[String],
        environment: &[(OsString, OsString)],
    ) -> Self {
        let variable = |name: &str| {
            let known = environment
                .iter()
                .find(|(known, _)| known == name && names.iter().any(|listed| listed == name));
            known.map(|(_, value)| value.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let client = client(&url).and_then(|client| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                let unsendable = |_| format!("the header {name:?} cannot be sent");
                let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable(()))?;
                let mut value =
                    HeaderValue::from_str(&filled(&value, variable)).map_err(|_| unsendable(()))?;
                value.set_sensitive(true);
                map.insert(key, value);
            }
            map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Ok((client, map))
        });
        Self { url, client }
    }

    async fn post(&self, input: &[u8]) -> Result<(u16, String), String> {
        let (client, headers) = self.client.as_ref().map_err(String::clone)?;
        let cause = |error: reqwest::Error| {
            let mut error: &dyn std::error::Error = &error;
            while let Some(inner) = error.source() {
                error = inner;
            }
            error.to_string()
        };
        let request = client.post(&self.url).headers(headers.clone()).body(input.to_vec());
        let mut answer = request.send().await.map_err(cause)?;
        let (status, mut body) = (answer.status().as_u16(), Vec::new());
        while let Some(piece) = answer.chunk().await.map_err(cause)? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_ANSWER {
                return Err("its answer is too long".to_owned());
            }
        }
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }
}

impl HookHandler for HttpHook {
    fn name(&self) -> &str {
        &self.url
    }

    fn identity(&self) -> Option<String> {
        Some(format!("http {}", self.url))
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move {
            Ok(match self.post(call.input).await {
                Ok((status, body)) => HookReply::of_response(call.event, status, body),
                Err(why) => HookReply::not_reached(why, OutputKind::Address),
            })
        })
    }
}

fn client(url: &str) -> Result<Client, String> {
    let parsed = reqwest::Url::parse(url).map_err(|error| format!("{url:?} is not an address: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("the scheme {} is not supported", parsed.scheme()));
    }
    let tls = if parsed.scheme() == "https" { TlsUse::Needed } else { TlsUse::None };
    let builder = builder(None, &[], tls).map_err(|error| error.to_string())?;
    builder.redirect(Policy::none()).build().map_err(|error| error.to_string())
}

/// Fills in variables.
fn filled(text: &str, variable: impl Fn(&str) -> String) -> String {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, left) = match braced {
            Some((name, left)) if name.chars().all(is_name) => (name, left),
            _ => after.split_at(after.find(|letter| !is_name(letter)).unwrap_or(after.len())),
        };
        match name.is_empty() {
            true => out.push('$'),
            false => out.push_str(&variable(name)),
        }
        rest = left;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_into_headers() {
        let of = |text: &str| filled(text, |name| format!("<{name}>"));
        assert_eq!(of("Bearer $TOKEN"), "Bearer <TOKEN>");
        assert_eq!(of("a${A_1}b$B/c"), "a<A_1>b<B>/c");
        assert_eq!(of("100$ and $"), "100$ and $");
        assert_eq!(of("${not a name}"), "${not a name}");
    }
}
