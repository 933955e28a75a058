//! Tables for people: models under each day, exact numbers, blocks, forks.

use annals_testkit::home::Home;

use super::{FIRST, home, json, prompt, reply};
use crate::annals_exits;

#[test]
fn models_are_under_each_day_and_one_without_a_price_is_unknown() {
    let home = home();
    let unknown = reply("m9", "2026-01-10T12:30:00.000Z", "granite-9", r#""output_tokens":403117"#, "");
    home.write("projects/-home-ada-shop/99990000-0000-4000-8000-000000000000.jsonl", unknown);
    let out = annals_exits(&home, &["usage"], 0).out;
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    let row =
        |start: &[&str]| rows.iter().find(|row| row.starts_with(start)).unwrap_or_else(|| panic!("{out}"));
    assert!(row(&["2026-01-10", "2", "models"]).contains(&"$1.20+?"), "{out}");
    assert!(row(&["sonnet-4"]).contains(&"$1.20"), "{out}");
    assert!(row(&["granite-9"]).contains(&"?") && row(&["granite-9"]).contains(&"403,117"), "{out}");
    assert!(
        !out.split_whitespace().any(|word| word == "$0.00")
            && row(&["2026-01-03", "opus-4-5"]).contains(&"2,000"),
        "{out}"
    );
    let plain = annals_exits(&home, &["usage", "--no-models"], 0).out;
    assert!(!plain.contains("models") && !plain.contains("sonnet"), "{plain}");
    let by_model = annals_exits(&home, &["usage", "--by", "model"], 0).out;
    assert!(by_model.contains("cost over time is from 2026-01-03 to 2026-01-10"), "{by_model}");
    let json = json(&home, &["usage"]);
    assert!(json.contains(r#""breakdown":[{"key":"claude-sonnet-4-20250514""#), "{json}");
}

#[test]
fn numbers_are_exact_where_they_fit_or_are_asked_for() {
    let home = home();
    let at = |width: &str, options: &[&str]| {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        home.finish(command.arg("usage").args(options).env("COLUMNS", width)).out
    };
    let wide = at("140", &[]);
    assert!(wide.contains("201,001") && wide.contains("written 5m  written 1h"), "{wide}");
    let narrow = at("70", &["--by", "day"]);
    assert!(!narrow.contains("201,001"), "{narrow}");
    assert!(at("80", &["--exact"]).contains("10,000"), "asked for");
}

#[test]
fn blocks_have_gaps_and_shares_and_forks_are_explained() {
    let home = home();
    let out = annals_exits(&home, &["usage", "--by", "block"], 0).out;
    assert!(out.contains("nothing for 8h 00m") && out.contains("share"), "{out}");
    let json = json(&home, &["usage", "--by", "block"]);
    assert!(json.contains(r#""gapMs":28800000"#), "{json}");
    let sessions = annals_exits(&home, &["usage", "--by", "session"], 0).out;
    assert!(sessions.contains(&format!("[fork of {FIRST}]")), "{sessions}");
    assert!(
        sessions.contains("what a fork copied counts in the session that it was copied from"),
        "{sessions}"
    );
}

#[test]
fn show_and_ls_agree_on_a_session_that_shares_responses() {
    let home = Home::new();
    let million = |tokens: u32| format!(r#""input_tokens":{tokens}000000"#);
    let model = "claude-opus-4-5";
    let first = prompt("p1", "2026-01-03T09:00:00.000Z", "Count the stock")
        + &reply("m1", "2026-01-03T10:00:00.000Z", model, &million(2), "");
    let more = reply("m2", "2026-01-03T11:00:00.000Z", model, &million(1), "");
    let (original, copy) = ("cccccccc-1111-4222-8333-444444444444", "dddddddd-1111-4222-8333-444444444444");
    let write = |id: &str, text: &str| drop(home.write(format!("projects/-home-ada-shop/{id}.jsonl"), text));
    write(original, &first);
    // Some clients copy lines without a word about where they are from.
    write(copy, &format!("{first}{more}"));
    annals_exits(&home, &["index"], 0);
    let listed = annals_exits(&home, &["ls", "--long"], 0).out;
    let listed = |id: &str| {
        let line = listed.lines().find(|line| line.contains(id)).unwrap();
        line.split_whitespace().find(|word| word.starts_with('$')).unwrap().to_owned()
    };
    let header = |id: &str| annals_exits(&home, &["show", id], 0).out.lines().nth(2).unwrap().to_owned();
    assert_eq!((listed(original), listed(copy)), ("$10.00".to_owned(), "$5.00".to_owned()));
    assert!(
        header(original).contains("$10.00") && !header(original).contains("shared"),
        "{}",
        header(original)
    );
    assert!(header(copy).contains("$5.00 and $10.00 shared with other sessions"), "{}", header(copy));
    // Without an index a copy is known by what its lines say.
    std::fs::remove_dir_all(home.data_dir()).unwrap();
    let marked =
        first.replace(r#""requestId""#, r#""forkedFrom":{"sessionId":"x","messageUuid":"m1"},"requestId""#);
    write(copy, &format!("{marked}{more}"));
    assert!(header(copy).contains("$5.00 and $10.00 shared with other sessions"), "{}", header(copy));
}
