//! `annals mcp login` and `logout`: a token is asked for in the browser, kept for its owner alone, sent, and forgotten.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::mcp::McpScript;
use annals_testkit::oauth::{OAuthFault, OAuthServer, browse};

use crate::annals_exits;
use crate::schemas::keep_schema;

/// Nothing here takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

fn add(home: &Home, web: &OAuthServer) {
    annals_exits(home, &["mcp", "add", "--yes", "-s", "user", "-t", "http", "web", &web.mcp_url()], 0);
}

/// Runs `mcp login`, with a browser that tells the test where it was sent.
fn login(home: &Home, options: &[&str]) -> (CommandOutput, String) {
    let (bin, file) = (home.path().join("bin"), home.path().join("opened"));
    let program = format!("#!/bin/sh\nprintf %s \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", file.display());
    fs::create_dir_all(&bin).unwrap();
    let path = bin.join("xdg-open");
    fs::write(&path, program).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command
        .args(["mcp", "login", "web"])
        .args(options)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while !file.exists() && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < HANGS, "no browser was opened");
        thread::sleep(Duration::from_millis(10));
    }
    let opened = fs::read_to_string(&file).unwrap_or_default();
    if !opened.is_empty() {
        browse(&opened);
    }
    (CommandOutput::from(child.wait_with_output().unwrap()), opened)
}

#[test]
fn a_sign_in_is_used_until_it_is_forgotten() {
    let (home, web) = (Home::new(), OAuthServer::start(None));
    add(&home, &web);
    let listed = annals_exits(&home, &["mcp", "list"], 3).out;
    assert!(listed.contains("needs-auth") && listed.contains("run annals mcp login web"), "{listed}");
    let json = annals_exits(&home, &["mcp", "list", "--json"], 3);
    keep_schema("mcp-list", &[json.out.trim().as_bytes()], "mcp list --json");
    let (said, opened) = login(&home, &["--json"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.error);
    keep_schema("change", &[said.out.trim().as_bytes()], "mcp login --json");
    assert!(said.error.contains(&opened), "the address is shown too: {}", said.error);
    let token = web.valid_token();
    assert!(!said.out.contains(&token) && !said.error.contains(&token));
    let listed = annals_exits(&home, &["mcp", "list"], 0).out;
    assert!(listed.contains("connected") && !listed.contains(&token), "{listed}");
    let stored = fs::read_to_string(home.data_dir().join("mcp-tokens.json")).unwrap();
    assert!(stored.contains(&token), "{stored}");
    annals_exits(&home, &["mcp", "logout", "web", "--dry-run"], 0);
    annals_exits(&home, &["mcp", "logout", "web"], 2);
    annals_exits(&home, &["mcp", "logout", "web", "--yes"], 0);
    assert!(!fs::read_to_string(home.data_dir().join("mcp-tokens.json")).unwrap().contains(&token));
    annals_exits(&home, &["mcp", "logout", "web", "--yes"], 1);
    annals_exits(&home, &["mcp", "list"], 3);
}

#[test]
fn what_cannot_be_signed_in_to_is_said() {
    let home = Home::new();
    add(&home, &OAuthServer::start(Some(OAuthFault::NoConsent)));
    let (said, _) = login(&home, &[]);
    assert!(said.code == Some(2) && said.error.contains("access_denied"), "{}", said.error);
    let script = McpScript::new(&home.path().join("server"));
    let (program, args) = script.command();
    annals_exits(&home, &["mcp", "add", "--yes", "mem", "--", &program, &args[0]], 0);
    let said = annals_exits(&home, &["mcp", "login", "mem"], 2).error;
    assert!(said.contains("nothing to sign in to"), "{said}");
    annals_exits(&home, &["mcp", "login", "nobody"], 1);
    fs::write(home.config_dir().join("settings.json"), r#"{"deniedMcpServers":[{"serverName":"web"}]}"#)
        .unwrap();
    let said = annals_exits(&home, &["mcp", "login", "web"], 2).error;
    assert!(said.contains("deniedMcpServers names it"), "{said}");
    assert!(annals_exits(&home, &["mcp", "list", "--no-check"], 0).out.contains("denied"));
}
