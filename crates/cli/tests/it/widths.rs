//! What people see in terminals of 60, 80, 140 and 200 columns, and in a pipe: nothing that identifies a row is cut, and no line
//! is wider than the terminal.

use std::time::{SystemTime, UNIX_EPOCH};

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_transcript::time::format_millis;

use crate::{annals_exits, expect};

const WIDTHS: [usize; 4] = [60, 80, 140, 200];

const HOUR: i64 = 3_600_000;

/// Writes a session whose records are of an hour before now.
fn write(home: &Home, id: &str, hours: i64, session: Session) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    let hour = format_millis(now - hours * HOUR).chars().take(13).collect::<String>();
    let text = String::from_utf8(session.into_bytes()).unwrap();
    // Sessions have responses of their own; a fork has those of its origin.
    let text = text.replace("\"msg_", &format!("\"msg_{}", &id[..8]));
    let text = text.replace("\"req_", &format!("\"req_{}", &id[..8]));
    home.write(format!("projects/-home-ada-shop/{id}.jsonl"), text.replace("2026-06-01T00", &hour));
}

/// Three days of a project: a session, its fork, and one with two models of which one has no price.
fn home() -> Home {
    let home = Home::new();
    let (one, two, three) = (
        "3f2a0000-1111-4222-8333-444444444444",
        "3f2a0000-2222-4222-8333-444444444444",
        "77770000-1111-4222-8333-444444444444",
    );
    let long = "Please find out why the vouchers of last winter can still be used twice, and write it down for okke.";
    let talk =
        |id: &str| Session::new().id(id).folder("/home/ada/shop").prompt(long).reply("They never end.");
    write(&home, one, 28, talk(one));
    let copied = String::from_utf8(talk(two).into_bytes()).unwrap();
    let origin =
        format!("\"forkedFrom\":{{\"sessionId\":\"{one}\",\"messageUuid\":\"x\"}},\"type\":\"user\"");
    let copied = copied.replacen("\"type\":\"user\"", &origin, 1);
    write(&home, two, 28, Session::new().raw(copied.as_bytes()));
    let other =
        Session::new().id(three).folder("/home/ada/shop").prompt("Which vouchers?").reply("All of them.");
    let other = other.model("granite-coder-9").prompt("Really?").reply("Really, all vouchers.");
    write(&home, three, 76, other);
    home
}

/// The output in a terminal of this width, without what depends on the day.
fn shown(home: &Home, width: usize, arguments: &[&str]) -> String {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    let answer = home.finish(command.args(arguments).env("COLUMNS", width.to_string()));
    assert_eq!(answer.code, Some(0), "{arguments:?}\n{}{}", answer.out, answer.error);
    answer.out
}

/// Digits of dates and times become zeros.
fn masked(text: &str) -> String {
    const SHAPE: &str = "0000-00-00";
    let mut out = String::new();
    let is_date = |at: &str| {
        at.len() >= SHAPE.len()
            && at.bytes().zip(SHAPE.bytes()).all(|(seen, shape)| match shape {
                b'0' => seen.is_ascii_digit(),
                other => seen == other,
            })
    };
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if is_date(rest) {
            out.push_str(SHAPE);
            rest = &rest[SHAPE.len()..];
            if rest.len() > 6 && rest.as_bytes()[0] == b' ' && rest.as_bytes()[3] == b':' {
                out.push_str(" 00:00");
                rest = &rest[6..];
            }
            continue;
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    out
}

/// All widths of a command in one text, without the lines that depend on the day or the folder.
fn all_widths(home: &Home, arguments: &[&str]) -> String {
    let mut all = String::new();
    for width in WIDTHS {
        all.push_str(&format!("== {width}\n"));
        let out = masked(&shown(home, width, arguments));
        let folder = home.config_dir().display().to_string();
        let depends = |line: &&str| {
            line.contains(&folder) || line.contains("0 sub-agents") || line.starts_with("  this month")
        };
        // The notes below a report are about this month.
        let is_report = arguments.first() == Some(&"usage");
        let lines = out.lines().take_while(|line| !(is_report && line.is_empty()));
        for line in lines.filter(|line| !depends(line)) {
            assert!(line.chars().count() <= width, "{width} columns: {line}");
            all.push_str(line);
            all.push('\n');
        }
    }
    all
}

#[test]
fn the_overview() {
    expect(&all_widths(&home(), &[]), &format!("{}[EOF]", include_str!("widths/overview.txt")));
}

#[test]
fn lists() {
    expect(&all_widths(&home(), &["ls"]), &format!("{}[EOF]", include_str!("widths/ls.txt")));
}

#[test]
fn searches() {
    let out = all_widths(&home(), &["search", "vouchers"]);
    expect(&out, &format!("{}[EOF]", include_str!("widths/search.txt")));
}

#[test]
fn usage_by_day() {
    expect(&all_widths(&home(), &["usage"]), &format!("{}[EOF]", include_str!("widths/usage.txt")));
}

#[test]
fn nothing_is_wider_than_the_terminal_and_ids_are_whole_enough_to_use() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    annals_exits(&home, &["index"], 0);
    let pages: [&[&str]; 9] = [
        &[],
        &["ls"],
        &["ls", "--long"],
        &["usage"],
        &["usage", "--by", "block"],
        &["usage", "--by", "session"],
        &["search", "the"],
        &["history"],
        &["files"],
    ];
    for width in WIDTHS {
        for page in pages {
            let folder = home.config_dir().display().to_string();
            for line in shown(&home, width, page).lines().filter(|line| !line.contains(&folder)) {
                assert!(line.chars().count() <= width, "{page:?} in {width} columns: {line}");
            }
        }
        for line in shown(&home, width, &["ls"]).lines().skip(1).take_while(|line| !line.is_empty()) {
            let id = line.split(' ').next().unwrap();
            let found = annals_exits(&home, &["show", id, "--as", "counts", "--json"], 0);
            assert!(!found.out.is_empty(), "{id}");
        }
    }
}

#[test]
fn nothing_is_cut_in_a_pipe() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let listed = annals_exits(&home, &["ls", "--all", "--json"], 0).out;
    let listed = Value::parse(listed.as_bytes()).unwrap();
    let out = annals_exits(&home, &["ls", "--all"], 0).out;
    for session in listed.get("sessions").unwrap().items() {
        let id = session.get("id").unwrap().text().unwrap().to_string();
        let row =
            out.lines().find(|line| line.starts_with(&id)).unwrap_or_else(|| panic!("no {id} in {out}"));
        let title = session.get("title").unwrap().text().map(|title| title.to_string()).unwrap_or_default();
        let first = title.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            first.is_empty() || row.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(&first),
            "{row}"
        );
    }
    for page in [&["search", "the"][..], &["usage", "--by", "session"]] {
        assert!(!annals_exits(&home, page, 0).out.lines().any(|line| line.ends_with("...")), "{page:?}");
    }
}
