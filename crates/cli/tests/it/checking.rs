//! `annals check`: what it says of files that clients lose messages of, or that nobody can read; and what repair refuses.

use std::fs;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::skipped;

use crate::annals_exits;

const ID: &str = "5e550000-0000-4000-8000-000000000000";

fn talk() -> Session {
    Session::new().id(ID).prompt("one").reply("first").wait(60).prompt("two").reply("second")
}

fn store(bytes: impl AsRef<[u8]>) -> (Home, std::path::PathBuf) {
    let home = Home::new();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), bytes);
    (home, path)
}

#[test]
fn lost_messages_are_problems_and_the_repair_is_named() {
    let (home, _) = store(talk().into_bytes());
    let healthy = annals_exits(&home, &["check", ID], 0).out;
    assert!(!healthy.contains("lost") && !healthy.contains("repair"), "{healthy}");
    let bytes = String::from_utf8(talk().into_bytes()).unwrap();
    let lines = bytes.lines().map(|line| {
        let (before, after) = line.split_once("\"parentUuid\":").unwrap();
        let (_, rest) = after.split_once(',').unwrap();
        format!("{before}\"parentUuid\":null,{rest}\n")
    });
    let (home, path) = store(lines.collect::<String>());
    let answer = annals_exits(&home, &["check", ID], 3);
    assert!(answer.out.contains("1 message, 3 lost"), "{}", answer.out);
    assert!(answer.out.contains(&format!("to repair it: annals repair {ID}\n")), "{}", answer.out);
    annals_exits(&home, &["check", "--all"], 3);
    annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), bytes);
    annals_exits(&home, &["check", ID], 0);
}

#[test]
fn a_report_is_headed_by_the_title_and_names_what_to_do() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    let out = home.finish(command.args(["check", "89ab"]).env("COLUMNS", "80")).out;
    assert!(out.starts_with("Backup job stops at night\n  89abb3f5-"), "{out}");
    assert!(out.contains("\n  to repair it: annals repair 89abb3f5-"), "{out}");
    let path = home.config_dir().display().to_string();
    let wide = out.lines().filter(|line| !line.contains(&path)).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    assert!(out.contains("as a crash of the machine\n          leaves it."), "{out}");
    let all = annals_exits(&home, &["check", "--all"], 3).out;
    assert!(
        all.contains("annals gc") && all.contains("sessions-index.json is a cache of Claude Code"),
        "{all}"
    );
    let brief = annals_exits(&home, &["check", "--all", "-q"], 3).out;
    assert!(brief.contains("annals repair") && !brief.contains("note"), "{brief}");
    let healthy = annals_exits(&home, &["check", "190c", "-q"], 0).out;
    assert_eq!(healthy.lines().count(), 1, "{healthy}");
}

#[test]
fn a_repair_that_would_leave_everything_as_it_is_is_not_named() {
    let talk = Session::new().id(ID).parent(Some("gone")).prompt("one").reply("first");
    let (home, path) = store(talk.into_bytes());
    let before = fs::read(&path).unwrap();
    let answer = annals_exits(&home, &["check", ID], 3);
    assert!(!answer.out.contains("to repair it"), "{}", answer.out);
    assert!(answer.out.contains("annals repair leaves it as it is"), "{}", answer.out);
    annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn two_sessions_in_one_file_are_reported_and_not_joined() {
    let other = "5e550000-0000-4000-8000-000000000001";
    let other =
        Session::new().id(other).prompt("three").reply("third").wait(60).prompt("four").reply("fourth");
    let other = String::from_utf8(other.into_bytes()).unwrap().replace("\"uuid\":\"", "\"uuid\":\"x");
    let other = other.replace("\"parentUuid\":\"", "\"parentUuid\":\"x");
    let one = String::from_utf8(talk().into_bytes()).unwrap();
    let mixed: String = one.lines().zip(other.lines()).map(|(one, two)| format!("{one}\n{two}\n")).collect();
    let (home, path) = store(&mixed);
    let answer = annals_exits(&home, &["check", ID, "--json"], 3);
    assert!(answer.out.contains("\"mixed-sessions\""), "{}", answer.out);
    annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), mixed);
}

#[test]
fn a_check_of_nothing_says_how_to_check_all() {
    let (home, _) = store(talk().into_bytes());
    let answer = annals_exits(&home, &["check"], 2);
    assert!(answer.error.contains("annals check --all"), "{}", answer.error);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (home, path) = store(talk().into_bytes());
    let circle = path.with_file_name("00000000-0000-4000-8000-000000000000.jsonl");
    symlink(&circle, &circle).unwrap();
    let answer = annals_exits(&home, &["check", "--all"], 3);
    assert!(answer.out.contains(&format!("{}: ", circle.display())), "{}", answer.out);
    fs::remove_file(&circle).unwrap();
    let close =
        |path: &std::path::Path| fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    close(&path);
    if fs::read(&path).is_ok() {
        skipped("what_cannot_be_read_is_named", "this user may read everything");
        return;
    }
    let denied = |path: &std::path::Path| format!("{}: ", path.display());
    let answer = annals_exits(&home, &["check", "--all"], 3);
    let line = answer.out.lines().find(|line| line.contains(&denied(&path))).unwrap_or_default();
    assert!(line.contains("permission denied"), "{}", answer.out);
    let folder = path.parent().unwrap();
    close(folder);
    let answer = annals_exits(&home, &["check", "--all"], 3);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    let line = answer.out.lines().find(|line| line.contains(&denied(folder))).unwrap_or_default();
    assert!(line.contains("permission denied"), "{}", answer.out);
}

#[test]
fn what_repair_does_not_understand_stays_as_it_is() {
    let text = String::from_utf8(talk().into_bytes()).unwrap();
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let html = text.replace('"', "&quot;").into_bytes();
    let hex = text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes();
    let log = format!("{}{}", text.lines().next().unwrap(), "\nonly some text from here on".repeat(50))
        .into_bytes();
    for (name, bytes) in
        [("UTF-16", utf16), ("HTML", html), ("hex", hex), ("log", log), ("NUL", vec![0; 100])]
    {
        let (home, path) = store(&bytes);
        let answer = annals_exits(&home, &["repair", ID, "--yes"], 3);
        assert!(answer.error.contains("nothing was changed"), "{name}: {}", answer.error);
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    }
}

#[test]
fn records_in_another_form_get_a_line_each() {
    let healthy = Session::new()
        .id(ID)
        .prompt("one")
        .response(|reply| reply.thinking("hm").text("first"))
        .prompt("two")
        .reply("second");
    let text = String::from_utf8(healthy.into_bytes()).unwrap();
    let each = |form: &dyn Fn(&str) -> String| text.lines().map(form).collect::<String>();
    let forms = [
        ("byte order marks", each(&|line| format!("\u{feff}{line}\n"))),
        ("no-break spaces", each(&|line| format!("\u{a0}{line}\u{a0}\n"))),
        ("several lines", each(&|line| line.replace(",\"", ",\n  \"") + "\n")),
        ("a log", each(&|line| format!("2026-01-01 INFO {line}\n"))),
        ("commas", each(&|line| format!("{line},\n"))),
        ("a list, one a line", format!("[\n{}\n]\n", text.trim_end().replace('\n', ",\n"))),
        ("a list", format!("[{}]", text.trim_end().replace('\n', ","))),
    ];
    for (name, bytes) in forms {
        let (home, path) = store(&bytes);
        annals_exits(&home, &["check", ID], 3);
        annals_exits(&home, &["repair", ID, "--yes"], 0);
        let repaired = fs::read_to_string(&path).unwrap();
        assert_eq!(repaired.trim_start_matches('\u{feff}'), text, "{name}");
        annals_exits(&home, &["undo", "--yes"], 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), bytes, "{name}");
    }
}

#[test]
fn a_repair_says_what_it_removed() {
    let bytes = [talk().into_bytes().as_slice(), b"garbage\n{\"type\":\"us\n"].concat();
    let (home, _) = store(bytes);
    let answer = annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert!(answer.out.contains("removed 2 lines without a record to keep (20 B"), "{}", answer.out);
}

#[test]
fn a_line_that_is_moved_is_not_called_removed() {
    let bytes = String::from_utf8(talk().into_bytes()).unwrap();
    let reversed: Vec<_> = bytes.lines().rev().collect();
    let (home, path) = store(reversed.join("\n") + "\n");
    let answer = annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read_to_string(path).unwrap().len(), bytes.len());
    assert!(!answer.out.contains("removed"), "{}", answer.out);
}

#[test]
fn two_conversations_that_alternate_are_a_problem_and_are_not_joined() {
    let bytes = String::from_utf8(talk().into_bytes()).unwrap();
    let other = bytes
        .replace("\"uuid\":\"", "\"uuid\":\"f")
        .replace("\"parentUuid\":\"", "\"parentUuid\":\"f")
        .replace("\"id\":\"", "\"id\":\"f")
        .replace(".000Z\"", ".500Z\"");
    assert!(other.contains(".500Z"), "prompts of one time are taken for copies: {other}");
    let words = [("one", "another"), ("first", "its answer"), ("two", "more"), ("second", "its last")];
    let other = words
        .iter()
        .fold(other, |text, (old, new)| text.replace(&format!("\"{old}\""), &format!("\"{new}\"")));
    let lines: Vec<_> = bytes.lines().zip(other.lines()).flat_map(|(one, two)| [one, two]).collect();
    let (home, path) = store(lines.join("\n") + "\n");
    let answer = annals_exits(&home, &["check", ID], 3);
    assert!(
        answer.out.contains("Two clients wrote prompts at the same time") && answer.out.contains("4 lost"),
        "{}",
        answer.out
    );
    let before = fs::read(&path).unwrap();
    annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);

    // One behind the other, as if the user had started over.
    let (home, _) = store(bytes.clone() + &other);
    let answer = annals_exits(&home, &["check", ID], 0);
    assert!(answer.out.contains("4 left out: the user may have started over"), "{}", answer.out);
    assert!(!answer.out.contains("lost"), "{}", answer.out);
}

#[test]
fn nesting_of_any_depth_is_no_damage() {
    for depth in [600, 5_000, 100_000] {
        let deep = "[".repeat(depth) + "\"deepword\"" + &"]".repeat(depth);
        let bytes = String::from_utf8(talk().into_bytes()).unwrap();
        let bytes =
            bytes.replacen("\"parentUuid\":null", &format!("\"extra\":{deep},\"parentUuid\":null"), 1);
        let bytes = bytes
            + &format!(
                "{{\"type\":\"attachment\",\"attachment\":{{\"type\":\"file\",\"content\":{deep}}},\"toolUseResult\":{deep}}}\n"
            );
        let (home, path) = store(&bytes);
        annals_exits(&home, &["repair", ID, "--yes"], 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), bytes);
        let forms = [
            "conversation",
            "records",
            "api",
            "tree",
            "turns",
            "tools",
            "messages",
            "counts",
            "usage",
            "markdown",
            "html",
        ];
        for form in forms {
            crate::annals(&home, &["show", ID, "--as", form]);
        }
        for arguments in [
            &["check", ID][..],
            &["redact", ID, "--scan"],
            &["index"],
            &["search", "deepword"],
            &["strip", ID, "--tools", "--images", "--yes"],
            &["clone", ID, "--yes"],
            &["ls"],
            &["stats"],
        ] {
            let answer = crate::annals(&home, arguments);
            assert!(
                answer.code.is_some_and(|code| code < 70),
                "{arguments:?}: {:?} {}",
                answer.code,
                answer.error
            );
        }
    }
}
