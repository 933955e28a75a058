//! The examples of every help page run, and no text cites a file of the repository or a topic that does not exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use annals_demo::Plan;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::workspace_root;

use crate::{annals, annals_exits};

/// Examples that do not end by themselves, need a key, leave the machine, or need other programs; unit tests parse these.
// The demo store has no working directories to restore files in.
const NOT_RUN: [&str; 10] = [
    "annals tui",
    "annals chat",
    "annals mock-api",
    "annals serve",
    "annals tail",
    "--watch",
    "https://",
    "man -l",
    "source <(",
    "--restore 2",
];

/// What a page's examples need to be there.
const SETUP: [(&str, &str); 5] = [
    ("restore", "annals archive --all && annals trash 190c --yes"),
    ("undo", "annals rename last Other --yes"),
    ("reset-project", "annals new"),
    ("import", "annals export 190c --as bundle --to ferrite.bundle && annals trash 190c --yes"),
    ("config get", "annals config set stores ~/.claude"),
];

/// Every page: the commands of the list, and the commands of these.
fn pages(home: &Home) -> Vec<String> {
    let listed = annals_exits(home, &["help"], 0).out;
    let (commands, _) = listed.split_once("\nTopics:").unwrap();
    let rows = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let mut pages: Vec<String> = rows.filter_map(|row| row.split(' ').next()).map(str::to_owned).collect();
    pages.extend(["todos set", "config path", "config get", "config set"].map(str::to_owned));
    assert!(pages.len() > 38, "{pages:?}");
    pages
}

fn examples(page: &str) -> Vec<String> {
    let (_, examples) = page.split_once("\nExamples:\n").unwrap_or_else(|| panic!("no examples: {page}"));
    let lines = examples.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
            continue;
        }
        fs::copy(entry.path(), &target).unwrap();
        let modified = entry.metadata().unwrap().modified().unwrap();
        fs::File::options().write(true).open(&target).unwrap().set_modified(modified).unwrap();
    }
}

/// Runs a line in a shell that finds `annals`.
fn shell(home: &Home, line: &str) -> CommandOutput {
    let folder = Path::new(env!("CARGO_BIN_EXE_annals")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&path);
    let path = std::env::join_paths([folder.to_path_buf()].into_iter().chain(paths)).unwrap();
    let mut command: Command = home.command("sh");
    command.env("PATH", path).args(["-c", line]).stdin(Stdio::null());
    home.finish(&mut command)
}

#[cfg(unix)]
#[test]
fn the_examples_of_every_page_run() {
    let demo = Home::new();
    demo.fill(&Plan::default());
    for page in pages(&demo) {
        let mut arguments = vec!["help"];
        arguments.extend(page.split(' '));
        let examples = examples(&annals_exits(&demo, &arguments, 0).out);
        assert!(examples.len() >= 2, "annals help {page}: {examples:?}");
        let home = Home::new();
        copy(&demo.config_dir(), &home.config_dir());
        for (_, setup) in SETUP.iter().filter(|(name, _)| *name == page) {
            let answer = shell(&home, setup);
            assert_eq!(answer.code, Some(0), "{setup}\n{}{}", answer.out, answer.error);
        }
        for example in examples {
            if NOT_RUN.iter().any(|part| example.contains(part)) {
                continue;
            }
            let mut answer = shell(&home, &example);
            if answer.error.contains("cannot ask without a terminal") {
                // The page is for people, who are asked.
                let with_yes =
                    example.replacen(&format!("annals {page}"), &format!("annals {page} --yes"), 1);
                answer = shell(&home, &with_yes);
            }
            // 3: `check` and `redact --scan` find problems in the demo store, as they should.
            assert!(
                matches!(answer.code, Some(0 | 3)),
                "annals help {page}: {example}\nexit {:?}\n{}{}",
                answer.code,
                answer.out,
                answer.error
            );
        }
    }
}

#[test]
fn every_topic_and_page_is_printed() {
    let home = Home::new();
    let listed = annals_exits(&home, &["help"], 0).out;
    let (_, topics) = listed.split_once("\nTopics:\n").unwrap();
    let names: Vec<&str> =
        topics.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        assert!(annals_exits(&home, &["help", name], 0).out.lines().count() > 5, "{name}");
    }
    let page = annals_exits(&home, &["ls", "--help"], 0).out;
    assert_eq!(annals_exits(&home, &["help", "ls"], 0).out, page);
    assert_eq!(annals(&home, &["help", "nothing"]).code, Some(2));
    assert_eq!(annals(&home, &["help", "ls", "nothing"]).code, Some(2));
}

#[test]
fn the_manual_and_the_completions_have_commands_and_topics() {
    let home = Home::new();
    let manual = annals_exits(&home, &["man"], 0).out;
    for part in
        [".SH READ COMMANDS", ".SS annals ls", ".SS annals todos set", ".SH QUERIES", "annals show last"]
    {
        assert!(manual.contains(part), "{part}");
    }
    assert!(!manual.contains("(1)"), "no page refers to another that is not there");
    // The script for fish has no values of arguments.
    for (name, words) in [
        ("bash", ["move-project", "config-dir", "queries", "exit-codes"].as_slice()),
        ("zsh", ["move-project", "config-dir", "queries", "exit-codes"].as_slice()),
        ("fish", ["move-project", "config-dir"].as_slice()),
    ] {
        let script = annals_exits(&home, &["completions", name], 0).out;
        for word in words {
            assert!(script.contains(word), "{name}: {word}");
        }
    }
}

/// The source files of every crate but the made-up store, without what stands behind `#[cfg(test)]`.
fn sources(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, files);
        } else if (name.ends_with(".rs") && !name.contains("tests")) || name.ends_with(".txt") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            files.push((path, code.to_owned()));
        }
    }
}

/// A path in the repository that a text for people names.
fn cited_path(line: &str) -> bool {
    let line = line.trim_start();
    let is_text = line.contains('"') || line.ends_with('\\') || !line.ends_with([';', '{', '}', ',', ')']);
    let is_include = line.contains("include_str!") || line.contains("include_bytes!");
    !line.starts_with("//") && is_text && !is_include && (line.contains("docs/") || line.contains("crates/"))
}

#[test]
fn texts_cite_topics_that_exist_and_no_file_of_the_repository() {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace_root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let is_program = !["demo", "testkit"].iter().any(|name| folder.ends_with(name));
        if is_program && folder.join("src").is_dir() {
            sources(&folder.join("src"), &mut files);
        }
    }
    assert!(files.len() > 300, "only {} files found", files.len());
    let home = Home::new();
    let mut known = Vec::new();
    for (path, text) in &files {
        let cited = text.lines().find(|line| cited_path(line));
        assert_eq!(cited, None, "{}: an installed user has no such file", path.display());
        for (at, cite) in text.match_indices("annals help ") {
            let rest = &text[at + cite.len()..];
            let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            if !name.is_empty() && !["lists", "explains", "shows"].contains(&&*name) && !known.contains(&name)
            {
                let answer = annals(&home, &["help", &name]);
                assert_eq!(answer.code, Some(0), "{}: annals help {name}", path.display());
                known.push(name);
            }
        }
    }
    assert!(known.len() >= 8, "{known:?}");
}

#[test]
fn the_rule_about_cited_paths_can_fail() {
    assert!(cited_path("    .hint(\"docs/usage.md shows how\")"));
    assert!(cited_path("compaction or the end (docs/usage.md)\\"));
    assert!(!cited_path("    // see docs/usage.md"));
    assert!(!cited_path("    include_str!(\"../../../docs/x.md\");"));
}
