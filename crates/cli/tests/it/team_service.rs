//! `annals receive` and `annals serve --from` as processes: machines send by token, people ask by token.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use annals_demo::Plan;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::{CommandOutput, Home};

use crate::{annals, annals_exits};

/// A server, ended with the value.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { process, url: line.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Makes a token, and returns the path of a file that holds it.
fn token(home: &Home, at: &str, kind: &str, name: &str) -> String {
    let made = annals_exits(home, &["--quiet", "team", "token", "add", kind, name, "--at", at], 0).out;
    assert!(made.starts_with("annals_"), "{made}");
    home.write(format!("../token-{kind}-{name}"), made).display().to_string()
}

fn ask(home: &Home, line: &str, at: &str, token: &str) -> CommandOutput {
    let words = line.split(' ').chain(["--at", at, "--token-file", token]);
    annals(home, &words.collect::<Vec<_>>())
}

#[test]
fn machines_send_and_people_ask_by_token_and_the_answers_are_those_of_the_files() {
    let test = "machines_send_and_people_ask_by_token_and_the_answers_are_those_of_the_files";
    let Some(engine) = TestEngine::start(test) else { return };
    let at = engine.at("team");
    let home = Home::new();
    home.fill_sample(&Plan::default());
    annals_exits(&home, &["team", "init", "--at", &at, "--apply"], 0);
    let receiver = Server::start(&home, &["--quiet", "receive", "--to", &at]);
    // The first attempt makes the machine's id; everything waits until it has a token.
    let nothing = home.write("../token-wrong", "annals_wrong\n").display().to_string();
    let send = |token: &str| {
        annals(&home, &["collect", "--to", &receiver.url, "--attempts", "1", "--token-file", token])
    };
    let refused = send(&nothing);
    assert_eq!(refused.code, Some(74), "{}", refused.error);
    assert!(refused.error.contains("this token is not valid"), "{}", refused.error);
    let id = std::fs::read_to_string(home.data_dir().join("collect/machine")).unwrap().trim().to_owned();
    let machine = token(&home, &at, "machine", &id);
    let other = token(&home, &at, "machine", "11111111-0000-4000-8000-000000000000");
    assert_eq!(send(&other).code, Some(74));
    let sent = send(&machine);
    assert_eq!(sent.code, Some(0), "{}", sent.error);
    annals_exits(&home, &["team", "assign", &id, "ann", "shop", "--at", &at], 0);

    let server = Server::start(&home, &["--quiet", "serve", "--from", &at]);
    let [ann, ben, shop, admin] = [("person", "ann"), ("person", "ben"), ("team", "shop"), ("admin", "root")]
        .map(|(kind, name)| token(&home, &at, kind, name));
    let direct =
        |line: &str| annals_exits(&home, &line.split(' ').chain(["--at", &at]).collect::<Vec<_>>(), 0).out;
    assert_eq!(
        direct("usage --by model --json"),
        annals_exits(&home, &["usage", "--by", "model", "--json"], 0).out
    );
    for line in
        ["usage --by model --json", "stats --json", "usage --by month", "stats --limit 3", "ls --all --json"]
    {
        let expected = direct(line);
        for token in [&ann, &shop, &admin] {
            let answer = ask(&home, line, &server.url, token);
            assert_eq!(
                (answer.out.as_str(), answer.code),
                (expected.as_str(), Some(0)),
                "{line}: {}",
                answer.error
            );
        }
        assert_eq!(ask(&home, line, &server.url, &ben).code, Some(1), "{line}");
    }
    let found = direct("search the --json");
    assert_eq!(ask(&home, "search the --json", &server.url, &ann).out, found);
    let session = found.split("\"session\":\"").nth(1).unwrap().split('"').next().unwrap();
    let show = format!("show {session} --as messages --json");
    assert_eq!(ask(&home, &show, &server.url, &ann).out, direct(&show));
    assert_eq!(ask(&home, &show, &server.url, &ben).code, Some(1));
    assert_eq!(ask(&home, "usage --person ann", &server.url, &ben).code, Some(1));
    assert_eq!(ask(&home, &format!("clone {session} --yes"), &server.url, &ben).code, Some(1));
    clone_by_token(&server.url, session, [&ann, &shop, &admin], &at);
    for (token, line, said) in [
        (&machine, &*format!("clone {session} --yes"), "does not allow this"),
        (&ben, &*format!("clone {session} --yes --tenant other"), "does not apply"),
        (&machine, "usage", "does not allow this"),
        (&nothing, "usage", "not valid"),
        (&ann, "usage --by nothing", "invalid value"),
    ] {
        let refused = ask(&home, line, &server.url, token);
        assert_eq!(refused.code, Some(2), "{line}: {}", refused.error);
        assert!(refused.error.contains(said), "{line}: {}", refused.error);
    }
    annals_exits(&home, &["team", "token", "revoke", "--name", "ann", "--at", &at], 0);
    assert_eq!(ask(&home, "usage", &server.url, &ann).code, Some(2));
}

/// Clones a session through the server with each token, and straight from the engine: the same comes of it.
fn clone_by_token(server: &str, session: &str, tokens: [&String; 3], at: &str) {
    let clone = |arguments: &[&str]| {
        let mine = Home::new();
        std::fs::create_dir_all(mine.config_dir()).unwrap();
        let dry = annals_exits(&mine, &[&["clone", session, "--dry-run"], arguments].concat(), 0);
        assert!(dry.error.contains("this session is redacted"), "{}", dry.error);
        assert_eq!(annals(&mine, &["ls"]).code, Some(1));
        annals_exits(&mine, &[&["clone", session, "--yes"], arguments].concat(), 0);
        let messages = annals_exits(&mine, &["show", "last", "--as", "messages", "--json"], 0).out;
        let usage = annals_exits(&mine, &["usage", "--by", "model", "--json"], 0).out;
        annals_exits(&mine, &["undo", "--yes"], 0);
        assert_eq!(annals(&mine, &["ls"]).code, Some(1));
        (messages.lines().count(), usage)
    };
    let expected = clone(&["--at", at]);
    assert!(expected.0 > 2, "{expected:?}");
    for token in tokens {
        assert_eq!(clone(&["--at", server, "--token-file", token]), expected);
    }
}

#[test]
fn beyond_this_machine_both_need_tls() {
    let Some(engine) = TestEngine::start("beyond_this_machine_both_need_tls") else { return };
    let (at, home) = (engine.at("team"), Home::new());
    annals_exits(&home, &["team", "init", "--at", &at, "--apply"], 0);
    for command in [["receive", "--to"], ["serve", "--from"]] {
        let arguments = [command[0], command[1], &at, "--bind", "0.0.0.0"];
        let refused = annals_exits(&home, &arguments, 2);
        assert!(refused.error.contains("needs TLS") && refused.error.contains("--cert"), "{}", refused.error);
    }
}
