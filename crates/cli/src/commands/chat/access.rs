//! How the API is reached: its address, the key, proxies, certificates.

use std::process::{Command, Stdio};
use std::time::Duration;

use annals_agent::api::client::{Client, ClientSettings, Credential, Endpoint, ProxyConfig};
use annals_policy::secret::Secret;
use annals_policy::settings::EffectiveSettings;

use super::setup::Setup;
use crate::context::Context;
use crate::error::Fault;

const DEFAULT: &str = "https://api.anthropic.com";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns a client for the endpoint that the environment and the settings name.
pub(super) fn client(settings: &EffectiveSettings, context: &Context) -> Result<Client, Fault> {
    let variable = |name: &str| variable(settings, context, name);
    let endpoint = Endpoint::parse(variable("ANTHROPIC_BASE_URL").unwrap_or(DEFAULT));
    let endpoint = endpoint.map_err(|error| Fault::usage(error.to_string()))?;
    let wanted = ClientSettings {
        endpoint,
        credential: credential(settings, context)?,
        user_agent: concat!("annals/", env!("CARGO_PKG_VERSION")).to_owned(),
        headers: variable("ANTHROPIC_CUSTOM_HEADERS").map(headers).unwrap_or_default(),
        proxy: proxy(settings, context),
        trusted: trusted(settings, context)?,
        connect_timeout: CONNECT_TIMEOUT,
    };
    Client::new(wanted).map_err(|error| Fault::usage(error.to_string()))
}

/// Returns the proxy that variables name.
pub(super) fn proxy(settings: &EffectiveSettings, context: &Context) -> Option<ProxyConfig> {
    let variable = |name: &str| variable(settings, context, name);
    let either = |names: [&str; 2]| variable(names[0]).or_else(|| variable(names[1]));
    let proxy = either(["HTTPS_PROXY", "https_proxy"]).or_else(|| either(["ALL_PROXY", "all_proxy"]));
    let without = either(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    proxy.map(|proxy| ProxyConfig { url: proxy.to_owned(), no_proxy: without.to_owned() })
}

/// Returns the certificates that variables name, in PEM.
pub(super) fn trusted(settings: &EffectiveSettings, context: &Context) -> Result<Vec<Vec<u8>>, Fault> {
    let names = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];
    let mut trusted = Vec::new();
    for path in names.into_iter().filter_map(|name| variable(settings, context, name)) {
        let read = std::fs::read(path);
        trusted.push(read.map_err(|error| Fault::usage(format!("{path}: {error}")))?);
    }
    Ok(trusted)
}

/// Returns a variable of the environment, or of the settings.
pub(super) fn variable<'v>(
    settings: &'v EffectiveSettings,
    context: &'v Context,
    name: &str,
) -> Option<&'v str> {
    let set = context.api.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    set.or_else(|| settings.environment.get(name)).map(Secret::reveal)
}

/// Returns where the key comes from, in the words of the original client.
pub(super) fn key_source(setup: &Setup, context: &Context) -> &'static str {
    let is_set = |name: &str| setup.variable(context, name).is_some();
    match () {
        () if is_set("ANTHROPIC_AUTH_TOKEN") => "ANTHROPIC_AUTH_TOKEN",
        () if is_set("ANTHROPIC_API_KEY") => "ANTHROPIC_API_KEY",
        () => "apiKeyHelper",
    }
}

fn credential(settings: &EffectiveSettings, context: &Context) -> Result<Credential, Fault> {
    let made = match (
        variable(settings, context, "ANTHROPIC_AUTH_TOKEN"),
        variable(settings, context, "ANTHROPIC_API_KEY"),
        &settings.key_helper,
    ) {
        (Some(token), _, _) => Credential::bearer(token),
        (None, Some(key), _) => Credential::key(key),
        (None, None, Some(helper)) => Credential::key(helped(helper)?.reveal()),
        (None, None, None) => {
            return Err(Fault::usage("no API key found")
                .hint("set ANTHROPIC_API_KEY, or `apiKeyHelper` in your settings.json"));
        }
    };
    made.map_err(|error| Fault::usage(error.to_string()))
}

/// Runs the user's `apiKeyHelper` in a shell, and returns what it prints.
fn helped(helper: &str) -> Result<Secret, Fault> {
    let shell = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    let ran =
        Command::new(shell.0).args([shell.1, helper]).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = ran.map_err(|error| Fault::usage(format!("cannot run apiKeyHelper: {error}")))?;
    // What it printed before it failed may be a key.
    let printed = Secret::of_bytes(output.stdout);
    if !output.status.success() {
        return Err(Fault::usage(format!("apiKeyHelper failed: {}", output.status)));
    }
    printed.ok_or_else(|| Fault::usage("apiKeyHelper printed no text"))
}

/// `Name: value`, one a line.
fn headers(text: &str) -> Vec<(String, Secret)> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_owned(), Secret::from(value.trim()))).collect()
}
