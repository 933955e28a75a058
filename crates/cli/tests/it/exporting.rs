//! `annals export` and `annals show --as html`.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_testkit::home::Home;

use crate::{annals, annals_exits};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const OTHER: &str = "3f2a0000-1111-4222-8333-555555555555";

fn session(id: &str, prompt: &str) -> Session {
    Session::new()
        .id(id)
        .prompt(prompt)
        .tool_use("Bash", r#"{"command":"ls -l","description":"List files"}"#)
        .tool_result("total 0")
        .reply("Nothing **at all**.")
}

fn home() -> Home {
    let home = Home::new();
    home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), session(ID, "What is here?").into_bytes());
    home.write(format!("projects/-home-ada-till/{OTHER}.jsonl"), session(OTHER, "And there?").into_bytes());
    home
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn sessions_become_files_and_a_list_and_are_written_again_only_if_they_changed() {
    let home = home();
    let out = home.path().join("pages");
    let to = out.display().to_string();
    let first = annals_exits(&home, &["export", "--all", "--to", &to], 0).out;
    assert!(first.starts_with(&format!("{to}: 2 sessions written\n")), "{first}");
    let page = format!("{ID}.html");
    assert_eq!(
        names(&out),
        [".annals-export.json".to_owned(), page.clone(), format!("{OTHER}.html"), "index.html".to_owned()]
    );
    let list = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(list.contains(&format!("<a href={page} title={ID}>What is here?</a>")), "{list}");
    let text = fs::read_to_string(out.join(&page)).unwrap();
    assert!(text.contains("<p>Nothing <b>at all</b>.") && text.contains("<pre>total 0</pre>"), "{text}");

    let again = annals_exits(&home, &["export", "--all", "--to", &to], 0).out;
    assert!(again.starts_with(&format!("{to}: 0 sessions written, 2 unchanged\n")), "{again}");
    let more = session(ID, "What is here?").prompt("And now?").into_bytes();
    home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), more);
    let third = annals_exits(&home, &["export", "--all", "--to", &to], 0).out;
    assert!(third.starts_with(&format!("{to}: 1 session written, 1 unchanged\n")), "{third}");
    assert!(fs::read_to_string(out.join(&page)).unwrap().contains("And now?"));
    // Other options are another page.
    let prompts = annals_exits(&home, &["export", ID, "--detail", "prompts", "--to", &to], 0).out;
    assert!(prompts.starts_with(&format!("{to}: 1 session written\n")), "{prompts}");
    assert!(!fs::read_to_string(out.join(&page)).unwrap().contains("total 0"));
}

#[test]
fn a_foreign_or_changed_file_is_left_alone_until_forced() {
    let home = home();
    let out = home.path().join("pages");
    fs::create_dir(&out).unwrap();
    let (to, page) = (out.display().to_string(), out.join(format!("{ID}.html")));
    fs::write(&page, "mine").unwrap();
    fs::write(out.join("index.html"), "my list").unwrap();
    let answer = annals_exits(&home, &["export", "--all", "--to", &to], 4);
    assert!(answer.error.contains(&format!("skipped {ID}: {ID}.html exists")), "{}", answer.error);
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
    annals_exits(&home, &["export", "--all", "--force", "--to", &to], 0);
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!doctype html>"));
    fs::write(&page, "changed").unwrap();
    annals_exits(&home, &["export", ID, "--to", &to], 4);
    assert_eq!(fs::read_to_string(&page).unwrap(), "changed");
}

#[test]
fn a_page_that_was_removed_is_written_again() {
    let home = home();
    let out = home.path().join("pages");
    let (to, page) = (out.display().to_string(), out.join(format!("{ID}.html")));
    annals_exits(&home, &["export", "--all", "--to", &to], 0);
    fs::remove_file(&page).unwrap();
    let again = annals_exits(&home, &["export", "--all", "--to", &to], 0).out;
    assert!(again.starts_with(&format!("{to}: 1 session written, 1 unchanged\n")), "{again}");
    assert!(page.is_file());
}

/// How a page and a list end.
#[cfg(unix)]
const ENDS: [&str; 2] = ["</script>\n", "</footer>\n"];

/// Kills an export once the folder has this number of files, waiting or not; returns whether it was still running.
#[cfg(unix)]
fn killed_export(home: &Home, out: &Path, files: usize) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["export", "--all", "--to"]).arg(out).stdout(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let count = || fs::read_dir(out).map_or(0, Iterator::count);
    while count() < files && child.try_wait().unwrap().is_none() {}
    let _ = child.kill();
    child.wait().unwrap().signal().is_some()
}

#[cfg(unix)]
#[test]
fn a_killed_export_leaves_whole_pages_that_the_next_one_knows() {
    let home = Home::new();
    let write = |words: &str| {
        for number in 0..130 {
            let id = format!("3f2a0000-1111-4222-8333-{number:012}");
            home.write(format!("projects/-w/{id}.jsonl"), session(&id, words).into_bytes());
        }
    };
    let out = home.path().join("pages");
    let to = out.display().to_string();
    let mut killed = 0;
    // Before and after notes were written for the first time; then over pages that are there.
    for (round, words) in ["first words", "other words"].into_iter().enumerate() {
        write(words);
        for files in [1, 49, 51, 53, 60, 101, 104, 120] {
            killed += usize::from(killed_export(&home, &out, files + round * 132));
            for name in names(&out).iter().filter(|name| name.ends_with(".html")) {
                let page = fs::read_to_string(out.join(name)).unwrap();
                assert!(
                    page.starts_with("<!doctype html>") && ENDS.iter().any(|end| page.ends_with(end)),
                    "{name}"
                );
            }
        }
        let done = annals_exits(&home, &["export", "--all", "--to", &to], 0);
        assert!(!done.error.contains("skipped"), "{}", done.error);
        let names = names(&out);
        assert_eq!(names.len(), 132, "pages, list and notes, and nothing that waits: {names:?}");
        let pages = names.iter().filter(|name| name.starts_with("3f2a"));
        let has_words = |name: &&String| fs::read_to_string(out.join(name)).unwrap().contains(words);
        assert_eq!(pages.filter(has_words).count(), 130);
    }
    assert!(killed > 6, "{killed} exports were killed");
}

/// Two exports to one folder: each removes what waits for its name, and would remove what the other wrote.
#[cfg(unix)]
#[test]
fn a_second_export_to_a_folder_waits_for_the_first() {
    let home = home();
    let out = home.path().join("pages");
    fs::create_dir(&out).unwrap();
    let to = out.display().to_string();
    let folder = fs::File::open(&out).unwrap();
    folder.lock().unwrap();
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["export", "--all", "--to", &to]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waits = command.spawn().unwrap();
    let mut said = [0; 7];
    let mut error = waits.stderr.take().unwrap();
    error.read_exact(&mut said).unwrap();
    assert!(waits.try_wait().unwrap().is_none() && names(&out).is_empty());
    folder.unlock().unwrap();
    let mut rest = String::new();
    error.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("another annals exports to this folder; waiting"), "{rest}");
    assert_eq!(waits.wait().unwrap().code(), Some(0));
    assert_eq!(names(&out).len(), 4);
    // Any number of them at once leave what one leaves.
    fs::remove_dir_all(&out).unwrap();
    let mut all: Vec<_> = (0..4).map(|_| command.spawn().unwrap()).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().code() == Some(0)));
    assert_eq!(names(&out).len(), 4);
    let unchanged = annals_exits(&home, &["export", "--all", "--to", &to], 0).out;
    assert!(unchanged.contains("2 unchanged"), "{unchanged}");
}

#[test]
fn one_session_goes_to_standard_output_in_every_format() {
    let home = home();
    for (form, expected) in [
        ("html", "<!doctype html>"),
        ("markdown", "# What is here?\n\n- Session: 3f2a"),
        ("text", "What is here?\nSession: 3f2a"),
        ("json", "{\"role\":\"user\""),
    ] {
        let out = annals_exits(&home, &["export", "last", "--as", form, "--to", "-"], 0).out;
        let out = out.replace("And there?", "What is here?");
        assert!(out.starts_with(expected), "{form}: {}", &out[..out.len().min(200)]);
    }
    let page = annals_exits(&home, &["show", ID, "--as", "html"], 0).out;
    assert!(page.starts_with("<!doctype html>") && page.contains("id=L1"));
    annals_exits(&home, &["export", ID, OTHER, "--to", "-"], 2);
}

#[test]
fn what_cannot_be_exported_has_its_exit_code() {
    let home = home();
    let (inside, file) = (home.config_dir().join("pages"), home.path().join("file"));
    fs::write(&file, "").unwrap();
    let [inside, file] = [inside, file].map(|path| path.display().to_string());
    annals_exits(&home, &["export", "no-such-session", "--to", "x"], 1);
    annals_exits(&home, &["export", "--project", "no-such-project", "--to", "x"], 1);
    annals_exits(&home, &["export", "--to", "x"], 2);
    annals_exits(&home, &["export", ID], 2);
    annals_exits(&home, &["export", ID, "--to", &inside], 2);
    annals_exits(&home, &["export", ID, "--to", &file], 2);
    annals_exits(&home, &["export", ID, "--as", "json", "--include-agents", "--to", "-"], 2);
    let (empty, damaged) = (Home::new(), Home::new());
    annals_exits(&empty, &["export", "--all", "--to", "x"], 1);
    let path = damaged.write("projects/-p/notes.jsonl", b"no json\n").display().to_string();
    let to = damaged.path().join("out").display().to_string();
    let answer = annals_exits(&damaged, &["export", &path, "--to", &to], 1);
    assert!(answer.error.contains("skipped notes: not a session"), "{}", answer.error);
}

#[test]
fn secrets_are_in_no_format_of_a_redacted_export() {
    let home = Home::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let session = session(ID, &format!("Use {secret} please")).side("custom-title", |object| {
        object.string("customTitle", &format!("token {secret}")).string("sessionId", ID);
    });
    home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), session.into_bytes());
    for form in ["html", "markdown", "text", "json"] {
        let open = annals_exits(&home, &["export", ID, "--as", form, "--to", "-"], 0).out;
        assert!(open.contains("ghp_16C7"), "{form}");
        let out = annals_exits(&home, &["export", ID, "--as", form, "--redact", "--to", "-"], 0).out;
        assert!(!out.contains("ghp_16C7") && out.contains("REDACTED"), "{form}: {out}");
    }
}

#[test]
fn files_stay_in_their_folder_whatever_sessions_are_called() {
    let home = Home::new();
    for name in ["index", "con", "..x", "a b", "-rf", "caf\u{e9}\u{202e}", "index.html"] {
        home.write(format!("projects/-p/{name}.jsonl"), session(ID, name).into_bytes());
        home.write(format!("projects/-q/{name}.jsonl"), session(ID, name).into_bytes());
    }
    let out = home.path().join("deep/pages");
    let to = out.display().to_string();
    annals_exits(&home, &["export", "--all", "--to", &to], 0);
    let names = names(&out);
    assert_eq!(names.len(), 16, "{names:?}");
    assert!(
        names.iter().all(|name| name.is_ascii() && !name.starts_with('-') && !name.contains(' ')),
        "{names:?}"
    );
    assert_eq!(fs::read_dir(home.path().join("deep")).unwrap().count(), 1);
    // A list that somebody wrote into the folder names no other place.
    let notes = fs::read_to_string(out.join(".annals-export.json")).unwrap();
    fs::write(out.join(".annals-export.json"), notes.replace("_con.html", "javascript:alert(1)")).unwrap();
    annals(&home, &["export", "--all", "--to", &to]);
    assert!(!fs::read_to_string(out.join("index.html")).unwrap().contains("javascript"));
}

#[test]
fn every_real_session_is_exported_in_every_format() {
    let Some(corpus) = corpus::or_skip("every_real_session_is_exported_in_every_format") else { return };
    let home = Home::new();
    let files = corpus.sample().iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    for form in ["html", "markdown", "text", "json"] {
        let to = home.path().join(form).display().to_string();
        let options = ["export", "--as", form, "--to", &to, "--json"];
        let options: &[&str] =
            if form == "json" { &options } else { &[&options[..], &["--include-agents"]].concat() };
        let arguments: Vec<&str> = options.iter().copied().chain(files.iter().map(String::as_str)).collect();
        let answer = annals_exits(&home, &arguments, 0);
        assert!(!answer.error.contains("panicked"), "{}", answer.error);
    }
}
