//! Signing in to a server: discovery, registration, the browser, tokens, their renewal, and what is refused.

use std::path::Path;

use annals_agent::mcp::{
    McpLimits, McpStatus, OAuthSettings, RemoteServer, ServerKind, SignIn, SignInError, TokenFile,
};
use annals_store::DataDir;
use annals_testkit::oauth::{OAuthFault, OAuthServer};
use annals_testkit::source::CountingSource;
use annals_testkit::temp::TempDir;

use super::{call, http_settings, servers, text};

fn remote(web: &OAuthServer) -> RemoteServer {
    RemoteServer { url: web.mcp_url(), ..RemoteServer::default() }
}

fn tokens(folder: &Path) -> TokenFile {
    TokenFile::new(&DataDir::new(folder.join("data")))
}

/// Signs in; the browser is a thread that follows where it is sent.
async fn sign_in(remote: &RemoteServer, folder: &Path) -> Result<(), SignInError> {
    let (source, http, tokens) = (CountingSource::default(), http_settings(), tokens(folder));
    let sign_in = SignIn { server: "srv", remote, http: &http, tokens: &tokens, source: &source };
    sign_in.run(annals_testkit::oauth::browse).await
}

#[tokio::test]
async fn a_token_is_asked_for_kept_sent_and_renewed() {
    let (temp, web) = (TempDir::new("oauth"), OAuthServer::start(None));
    let remote = remote(&web);
    let kind = ServerKind::Http(remote.clone());
    let (servers, server) = servers(kind, McpLimits::default(), temp.path().into());
    server.connect().await;
    let McpStatus::NeedsAuth(why) = server.state().status else { panic!("{:?}", server.state()) };
    assert!(why.contains("run annals mcp login srv"), "{why}");
    sign_in(&remote, temp.path()).await.unwrap();
    server.connect().await;
    assert_eq!(server.state().status, McpStatus::Connected, "{:?}", server.state());
    web.expire();
    assert!(text(&call(&servers, "mcp__srv__echo", "{}").await).contains("echoed"));
    assert_eq!(web.renewals(), 1);
    let stored = tokens(temp.path()).of("srv", &remote.comparable_url()).unwrap().unwrap();
    assert_eq!((stored.access.reveal(), stored.client_id.as_str()), (web.valid_token().as_str(), "client-1"));
    assert!(!format!("{stored:?}").contains(&web.valid_token()));
}

#[tokio::test]
async fn a_token_that_cannot_be_renewed_means_signing_in_again() {
    let (temp, web) = (TempDir::new("oauth"), OAuthServer::start(Some(OAuthFault::NoRenewal)));
    let remote = remote(&web);
    sign_in(&remote, temp.path()).await.unwrap();
    let (servers, server) = servers(ServerKind::Http(remote), McpLimits::default(), temp.path().into());
    server.connect().await;
    web.expire();
    let outcome = call(&servers, "mcp__srv__echo", "{}").await;
    assert!(outcome.is_error && text(&outcome).contains("run annals mcp login srv"), "{outcome:?}");
}

#[tokio::test]
async fn two_conversations_renew_a_token_once() {
    let (temp, web) = (TempDir::new("oauth"), OAuthServer::start(None));
    let remote = remote(&web);
    sign_in(&remote, temp.path()).await.unwrap();
    let one = || servers(ServerKind::Http(remote.clone()), McpLimits::default(), temp.path().into());
    let ((_keep, first), (_too, second)) = (one(), one());
    web.expire();
    tokio::join!(first.connect(), second.connect());
    assert_eq!((first.state().status, second.state().status), (McpStatus::Connected, McpStatus::Connected));
    assert_eq!(web.renewals(), 1);
}

#[tokio::test]
async fn a_client_that_is_registered_already_is_used() {
    let (temp, web) = (TempDir::new("oauth"), OAuthServer::start(None));
    let oauth = OAuthSettings {
        client_id: Some("mine".into()),
        scopes: Some("x y".into()),
        ..OAuthSettings::default()
    };
    sign_in(&RemoteServer { oauth, ..remote(&web) }, temp.path()).await.unwrap();
    let asked = web.seen().into_iter().find(|line| line.contains("/authorize?")).unwrap();
    assert!(asked.contains("client_id=mine") && asked.contains("scope=x+y"), "{asked}");
    assert!(!web.seen().iter().any(|line| line.contains("/register")), "{:?}", web.seen());
}

#[tokio::test]
async fn what_is_wrong_is_refused_and_nothing_is_stored() {
    for (fault, words) in [
        (OAuthFault::Open, "does not require a sign-in"),
        (OAuthFault::OtherResource, "for another server"),
        (OAuthFault::OtherIssuer, "for another server"),
        (OAuthFault::NoProof, "PKCE"),
        (OAuthFault::NoRegistration, "did not register"),
        (OAuthFault::NoConsent, "access_denied"),
    ] {
        let (temp, web) = (TempDir::new("oauth"), OAuthServer::start(Some(fault)));
        let error = sign_in(&remote(&web), temp.path()).await.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(tokens(temp.path()).of("srv", &remote(&web).comparable_url()).unwrap(), None, "{words}");
    }
}
