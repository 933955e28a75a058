//! Which authorization server a server trusts, and where that is asked: the descriptions of RFC 9728 and RFC 8414.

use annals_json::{Fields, Value};
use reqwest::Url;

use super::exchange::Exchange;
use super::sign_in::SignInError;

/// Where an authorization server is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuthorizationServer {
    /// Who it is; `None` if it does not describe itself.
    pub(super) issuer: Option<String>,
    pub(super) authorization: Url,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
}

/// What a server says when it refuses a request without a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// Where it describes itself.
    pub(super) metadata: Option<String>,
    /// What a token must be good for.
    pub(super) scope: Option<String>,
}

impl Challenge {
    /// Reads the header `www-authenticate`.
    pub(super) fn parse(header: &str) -> Self {
        let parameter = |name: &str| {
            let at = header.to_ascii_lowercase().find(&format!("{name}=\""))? + name.len() + 2;
            Some(header.get(at..)?.split('"').next()?.to_owned()).filter(|value| !value.is_empty())
        };
        Self { metadata: parameter("resource_metadata"), scope: parameter("scope") }
    }
}

/// Returns the authorization server of a server, and what a token must be good for.
pub(super) async fn discover(
    exchange: &Exchange<'_>,
    server: &Url,
    challenge: &Challenge,
) -> Result<(AuthorizationServer, Option<String>), SignInError> {
    let described = match &challenge.metadata {
        Some(metadata) => exchange.description(&exchange.checked(metadata)?).await?,
        None => first_of(exchange, &places(server, "oauth-protected-resource")).await?,
    };
    let Some(described) = described else {
        // Servers of 2025-03-26 are their own authorization servers.
        let issuer = server.join("/").map_err(|_| SignInError::NotDescribed(server.to_string()))?;
        return Ok((of_issuer(exchange, &issuer).await?, challenge.scope.clone()));
    };
    let fields = Value::parse(&described).ok().and_then(Value::fields);
    let fields = fields.ok_or_else(|| SignInError::NotDescribed(server.to_string()))?;
    let resource = fields.text("resource").map(|resource| resource.into_string());
    if !resource.as_deref().is_some_and(|resource| covers(resource, server)) {
        return Err(SignInError::OtherServer(resource.unwrap_or_default()));
    }
    let named = fields.get("authorization_servers").into_iter().flat_map(Value::items);
    let issuer = named.filter_map(|issuer| Some(issuer.text()?.into_string())).next();
    let issuer = issuer.ok_or_else(|| SignInError::NotDescribed(server.to_string()))?;
    let found = of_issuer(exchange, &exchange.checked(&issuer)?).await?;
    let scopes = fields.get("scopes_supported").into_iter().flat_map(Value::items);
    let scopes: Vec<String> = scopes.filter_map(|scope| Some(scope.text()?.into_string())).collect();
    let supported = Some(scopes.join(" ")).filter(|scopes| !scopes.is_empty());
    Ok((found, challenge.scope.clone().or(supported)))
}

/// Returns an authorization server by its issuer, or what older servers have in its place.
async fn of_issuer(exchange: &Exchange<'_>, issuer: &Url) -> Result<AuthorizationServer, SignInError> {
    let mut urls = places(issuer, "oauth-authorization-server");
    urls.extend(places(issuer, "openid-configuration"));
    let below = format!("{}/.well-known/openid-configuration", issuer.as_str().trim_end_matches('/'));
    urls.extend(Url::parse(&below));
    match first_of(exchange, &urls).await? {
        Some(described) => read(exchange, &described, Some(issuer)),
        None => {
            let at =
                |path: &str| issuer.join(path).map_err(|_| SignInError::NotDescribed(issuer.to_string()));
            Ok(AuthorizationServer {
                issuer: None,
                authorization: at("/authorize")?,
                token: at("/token")?,
                registration: Some(at("/register")?),
            })
        }
    }
}

/// Reads the description at an address that the definition of the server names.
pub(super) async fn described_at(
    exchange: &Exchange<'_>,
    url: &str,
) -> Result<AuthorizationServer, SignInError> {
    let described = exchange.description(&exchange.checked(url)?).await?;
    read(exchange, &described.ok_or_else(|| SignInError::NotDescribed(url.to_owned()))?, None)
}

/// Reads the description of an authorization server. One that speaks for another is refused: a code would go to the wrong one.
fn read(
    exchange: &Exchange<'_>,
    described: &[u8],
    wanted: Option<&Url>,
) -> Result<AuthorizationServer, SignInError> {
    let name = || wanted.map(Url::to_string).unwrap_or_default();
    let fields = Value::parse(described).ok().and_then(Value::fields);
    let fields = fields.ok_or_else(|| SignInError::NotDescribed(name()))?;
    let issuer = fields.text("issuer").map(|issuer| issuer.into_string());
    let slashless = |text: &str| text.trim_end_matches('/').to_owned();
    if let Some(wanted) = wanted
        && issuer.as_deref().map(slashless) != Some(slashless(wanted.as_str()))
    {
        return Err(SignInError::OtherServer(issuer.unwrap_or_default()));
    }
    let mut methods = fields.get("code_challenge_methods_supported").into_iter().flat_map(Value::items);
    if !methods.any(|method| method.text().is_some_and(|method| method.is("S256"))) {
        return Err(SignInError::NoProof(name()));
    }
    let url = |fields: &Fields<'_>, key: &str| {
        fields.text(key).map(|url| exchange.checked(&url.into_string())).transpose()
    };
    let missing = || SignInError::NotDescribed(name());
    Ok(AuthorizationServer {
        authorization: url(&fields, "authorization_endpoint")?.ok_or_else(missing)?,
        token: url(&fields, "token_endpoint")?.ok_or_else(missing)?,
        registration: url(&fields, "registration_endpoint")?,
        issuer,
    })
}

async fn first_of(exchange: &Exchange<'_>, urls: &[Url]) -> Result<Option<Vec<u8>>, SignInError> {
    for url in urls {
        if let Some(described) = exchange.description(url).await? {
            return Ok(Some(described));
        }
    }
    Ok(None)
}

/// Returns where a description is: below the path of the address, then for the whole host.
fn places(url: &Url, name: &str) -> Vec<Url> {
    let path = url.path().trim_end_matches('/');
    let mut paths = vec![format!("/.well-known/{name}{path}"), format!("/.well-known/{name}")];
    paths.dedup();
    paths.iter().filter_map(|path| url.join(path).ok()).collect()
}

/// Whether a description is of this server: of the same host, and of a path above it.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let (above, path) = (resource.path().trim_end_matches('/'), server.path());
    let is_above = path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    resource.origin() == server.origin() && is_above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_names_a_description_and_a_scope() {
        let challenge = Challenge::parse(
            r#"Bearer error="invalid_token", Resource_Metadata="https://h/.well-known/x", scope="a b""#,
        );
        assert_eq!(challenge.metadata.as_deref(), Some("https://h/.well-known/x"));
        assert_eq!(challenge.scope.as_deref(), Some("a b"));
        assert_eq!(Challenge::parse("Bearer"), Challenge::default());
    }

    #[test]
    fn descriptions_are_below_the_path_first() {
        let of =
            |url: &str| places(&Url::parse(url).unwrap(), "x").iter().map(Url::to_string).collect::<Vec<_>>();
        assert_eq!(of("https://h/a/mcp"), ["https://h/.well-known/x/a/mcp", "https://h/.well-known/x"]);
        assert_eq!(of("https://h/"), ["https://h/.well-known/x"]);
    }

    #[test]
    fn a_description_is_of_the_server_or_of_what_is_above_it() {
        let server = Url::parse("https://h/a/mcp").unwrap();
        for (resource, is_its) in [
            ("https://h/a/mcp", true),
            ("https://h/a/", true),
            ("https://h", true),
            ("https://h/a/mc", false),
            ("https://h/b", false),
            ("https://evil/a/mcp", false),
            ("http://h/a/mcp", false),
        ] {
            assert_eq!(covers(resource, &server), is_its, "{resource}");
        }
    }
}
