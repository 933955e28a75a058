//! Completion in shells: sessions by id and title, projects; fast, silent, and without an index.

use std::process::Command;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::annals_exits;

const ONE: &str = "11110000-1111-4222-8333-444444444444";
const TWO: &str = "22220000-1111-4222-8333-444444444444";

fn home() -> Home {
    let home = Home::new();
    let one = Session::new()
        .id(ONE)
        .folder("/w/it's here")
        .prompt("Plant a tree: \u{1b}[31mnow\tor never")
        .reply("ok");
    home.write(format!("projects/-w-it-s-here/{ONE}.jsonl"), one.into_bytes());
    let two = Session::new().id(TWO).folder("/w/pond").prompt("Dig a pond").reply("ok");
    home.write(format!("projects/-w-pond/{TWO}.jsonl"), two.into_bytes());
    home
}

fn candidates(home: &Home, words: &[&str]) -> String {
    annals_exits(home, &[&["complete", "--"], words].concat(), 0).out
}

#[test]
fn sessions_and_projects_are_offered() {
    let home = home();
    assert_eq!(candidates(&home, &["show", "2"]), format!("{TWO}\tDig a pond\n"));
    assert_eq!(candidates(&home, &["show", ""]).lines().count(), 2);
    assert_eq!(candidates(&home, &["show", "dig"]), format!("Dig a pond\t{TWO}\n"));
    assert_eq!(candidates(&home, &["ls", "--project", "po"]), "pond\t/w/pond\n");
    let hostile = candidates(&home, &["show", "1"]);
    assert!(!hostile.contains('\u{1b}') && hostile.matches('\t').count() == 1, "{hostile:?}");
    // A title that is offered names the session.
    assert!(annals_exits(&home, &["show", "Dig a pond"], 0).out.contains(TWO));
}

#[test]
fn nothing_is_said_where_there_is_nothing_to_offer_and_no_index_is_made() {
    let home = home();
    for words in
        [&["show", "--as", "t"][..], &["sh"], &[], &["show", "zzz"], &["--config-dir", "/none", "show", ""]]
    {
        let answer = annals_exits(&home, &[&["complete", "--"], words].concat(), 0);
        assert_eq!((answer.out.as_str(), answer.error.as_str()), ("", ""), "{words:?}");
    }
    candidates(&home, &["show", ""]);
    assert!(!home.data_dir().join("index").exists());
}

/// Runs a script in a shell that has the completions; `None` if there is no such shell.
fn in_shell(home: &Home, shell: &str, flag: &str, script: &str) -> Option<String> {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_annals")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(folder.to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    if Command::new(shell).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {shell}");
        return None;
    }
    let mut command = home.command(shell);
    command.env("PATH", path.unwrap()).args([flag, script]);
    let answer = home.finish(&mut command);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.error);
    Some(answer.out)
}

#[test]
fn bash_completes_sessions_and_still_commands_and_options() {
    let script = r#"
        source <(annals completions bash)
        complete_words() {
            COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
            _annals_values annals "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\n' "${COMPREPLY[@]}"
        }
        complete_words annals show 22
        complete_words annals show Dig
        complete_words annals ls --project "it"
        complete_words annals sho
        complete_words annals show --as tur"#;
    let Some(out) = in_shell(&home(), "bash", "-c", script) else { return };
    assert_eq!(out, format!("{TWO}\nDig\\ a\\ pond\nit\\'s\\ here\nshow\nturns\n"));
}

#[test]
fn fish_completes_sessions_and_projects() {
    let script = "annals completions fish | source; complete -C 'annals show 22'; complete -C 'annals ls --project po'";
    let Some(out) = in_shell(&home(), "fish", "-c", script) else { return };
    assert!(out.starts_with(&format!("{TWO}\tDig a pond\n")) && out.contains("pond\t/w/pond"), "{out}");
}

#[test]
fn zsh_loads_the_script_and_asks_for_values() {
    let script = annals_exits(&Home::new(), &["completions", "zsh"], 0).out;
    assert!(script.starts_with("#compdef annals\n"), "{}", &script[..100]);
    assert!(script.contains(":_annals_values'") && !script.contains(":_default'"));
    in_shell(
        &home(),
        "zsh",
        "-c",
        "compdef() { :; }; source <(annals completions zsh) && whence -w _annals_values",
    );
}
