//! The configuration file and `annals config`.

use std::fs;
use std::path::PathBuf;

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};

use crate::{annals, annals_exits};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn file(home: &Home) -> PathBuf {
    home.path().join("config/annals/config.toml")
}

fn write(home: &Home, text: &str) {
    fs::create_dir_all(file(home).parent().unwrap()).unwrap();
    fs::write(file(home), text).unwrap();
}

/// Without a store that the environment names.
fn unnamed(home: &Home, arguments: &[&str]) -> CommandOutput {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.env_remove("CLAUDE_CONFIG_DIR").args(arguments);
    home.finish(&mut command)
}

#[test]
fn a_key_is_set_and_printed() {
    let home = Home::new();
    let path = annals_exits(&home, &["config", "path"], 0).out;
    assert_eq!(path.trim_end(), file(&home).to_str().unwrap());
    annals_exits(&home, &["config", "get"], 1);
    annals_exits(&home, &["config", "get", "theme"], 1);
    annals_exits(&home, &["config", "set", "theme", "dark"], 0);
    annals_exits(&home, &["config", "set", "stores", "/a b", "~/c"], 0);
    assert_eq!(annals_exits(&home, &["config", "get", "theme"], 0).out, "dark\n");
    assert_eq!(annals_exits(&home, &["config", "get", "stores"], 0).out, "/a b\n~/c\n");
    let all = annals_exits(&home, &["config", "get", "--json"], 0).out;
    assert_eq!(all.trim_end(), r#"{"stores":["/a b","~/c"],"theme":"dark"}"#);
    assert_eq!(fs::read_to_string(file(&home)).unwrap(), "theme = \"dark\"\nstores = [\"/a b\", \"~/c\"]\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file(&home)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn what_cannot_be_set_changes_nothing() {
    let home = Home::new();
    let text = "# mine\ntheme = \"dark\"\n";
    write(&home, text);
    for arguments in [
        &["config", "set", "theme", "pink"][..],
        &["config", "set", "theme", "dark", "light"],
        &["config", "set", "colour", "red"],
        &["config", "set", "redaction-patterns", "("],
        &["config", "set", "theme"],
        &["config", "get", "colour"],
        &["config"],
    ] {
        annals_exits(&home, arguments, 2);
    }
    assert_eq!(fs::read_to_string(file(&home)).unwrap(), text);
    write(&home, "theme = = \"dark\"\n");
    annals_exits(&home, &["config", "set", "theme", "dark"], 2);
    assert_eq!(fs::read_to_string(file(&home)).unwrap(), "theme = = \"dark\"\n");
}

#[test]
fn a_broken_file_is_told_by_line_and_column() {
    let home = Home::new();
    for (text, place) in [("pager = \"cat\"\ntheme = 3\n", ":2:9: "), ("theme = = 1\n", ":1:9: ")] {
        write(&home, text);
        for command in [&["ls"][..], &["config", "get"], &[]] {
            let refused = annals_exits(&home, command, 2);
            let line = refused.error.lines().next().unwrap();
            assert!(line.contains(&format!("config.toml{place}")), "{line}");
        }
        // These have to work with a broken file.
        annals_exits(&home, &["config", "path"], 0);
        annals_exits(&home, &["help"], 0);
    }
    // A key of a newer release does no harm.
    write(&home, "theme = \"dark\"\nfuture = 1\n");
    let told = annals(&home, &["ls"]);
    assert!(told.error.contains("config.toml:2:1: unknown key \"future\""), "{}", told.error);
    assert_eq!(told.code, Some(1));
}

#[test]
fn stores_of_the_file_are_read_unless_others_are_named() {
    let home = Home::new();
    let session = |prompt: &str| Session::new().id(ID).folder("/w").prompt(prompt).reply("ok").into_bytes();
    for name in ["one", "two"] {
        let path = home.path().join(name).join(format!("projects/-w/{ID}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, session(name)).unwrap();
    }
    write(&home, "stores = [\"~/one\", \"~/two\"]\n");
    let listed = unnamed(&home, &["ls", "--json"]).out;
    assert!(listed.contains("\"one\"") && listed.contains("\"two\""), "{listed}");
    let one = home.path().join("one");
    let listed = unnamed(&home, &["--config-dir", one.to_str().unwrap(), "ls", "--json"]).out;
    assert!(!listed.contains("\"two\""), "{listed}");
    // The variable wins, too.
    assert_eq!(annals(&home, &["ls"]).code, Some(1));
    write(&home, "stores = [\"~/none\"]\n");
    let refused = unnamed(&home, &["ls"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.error.contains("/none"), "{}", refused.error);
}

#[test]
fn patterns_of_the_file_are_redacted() {
    let home = Home::new();
    let session = Session::new().id(ID).folder("/w").prompt("the word is zanzibar").reply("ok");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    annals_exits(&home, &["redact", ID, "--scan"], 0);
    write(&home, "redaction-patterns = [\"zanzi\\\\w+\"]\n");
    let found = annals_exits(&home, &["redact", ID, "--scan"], 3);
    assert!(found.out.contains("pattern"), "{}", found.out);
    let out = home.path().join("out.jsonl");
    annals_exits(&home, &["collect", "--to", &format!("file:{}", out.display())], 0);
    assert!(!fs::read_to_string(&out).unwrap().contains("zanzibar"));
    let page = annals_exits(&home, &["export", ID, "--redact", "--as", "markdown", "--to", "-"], 0).out;
    assert!(page.contains("REDACTED") && !page.contains("zanzibar"), "{page}");
}

/// A project folder may come from anybody.
#[test]
fn nothing_is_read_from_a_project_folder() {
    let home = Home::new();
    for name in ["config.toml", ".annals/config.toml", "annals/config.toml", ".config/annals/config.toml"] {
        let path = home.work_dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "theme = broken").unwrap();
    }
    annals_exits(&home, &["ls"], 1);
    // Nor through a variable that means the current folder.
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.env("XDG_CONFIG_HOME", ".config").arg("ls");
    assert_eq!(home.finish(&mut command).code, Some(1));
}

/// Managers of dotfiles make links.
#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let home = Home::new();
    let target = home.path().join("dotfiles.toml");
    fs::write(&target, "theme = \"light\"\n").unwrap();
    fs::create_dir_all(file(&home).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&target, file(&home)).unwrap();
    annals_exits(&home, &["config", "set", "theme", "dark"], 0);
    assert!(file(&home).is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "theme = \"dark\"\n");
}
