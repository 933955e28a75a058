//! Secrets in what calls return and in answers: the call, the question or the name of the file stands in another record.

use annals_json::write_string;
use annals_transcript::line::lines;
use annals_transcript::redact::{CallLog, FileText, JsonContext, SecretRules, rewrite_line};

use super::lists::{Place, places};

const ROUNDS: u64 = 4;

/// The records of a place whose first line says what was run, read or said; the text is in the last one.
fn session(place: &Place) -> (String, Vec<String>) {
    let mut secrets: Vec<String> =
        place.secrets.iter().map(|span| place.text[span.clone()].to_owned()).collect();
    secrets.dedup();
    let Some((call, text)) = place.text.strip_prefix("%% ").and_then(|rest| rest.split_once('\n')) else {
        return (said("user", &place.text), secrets);
    };
    let (tool, input) = call.split_once(' ').unwrap();
    let session = match tool.trim_end_matches(':') {
        "!" => {
            let shown = format!("<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>");
            said("user", &format!("<bash-input>{input}</bash-input>")) + &said("user", &shown)
        }
        who @ ("user" | "assistant") => said(who, input) + &said("user", text),
        tool => {
            let (field, input) = match tool {
                "Bash" => ("command", input),
                "Read" => ("file_path", input),
                "WebFetch" => ("url", input),
                _ => input.split_once('=').unwrap(),
            };
            called(tool, field, input) + &returned(text)
        }
    };
    (session, secrets)
}

fn string(text: &str) -> String {
    let mut out = Vec::new();
    write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}

fn said(who: &str, text: &str) -> String {
    format!("{{\"type\":\"{who}\",\"message\":{{\"role\":\"{who}\",\"content\":{}}}}}\n", string(text))
}

fn called(tool: &str, field: &str, input: &str) -> String {
    format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"{tool}\",\
         \"input\":{{\"{field}\":{}}}}}]}}}}\n",
        string(input)
    )
}

fn returned(text: &str) -> String {
    let text = string(text);
    format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\
         \"content\":{text}}}]}},\"toolUseResult\":{{\"stdout\":{text}}}}}\n"
    )
}

/// What the rules leave of a session.
fn redacted(session: &str, rules: &SecretRules) -> String {
    let mut log = CallLog::default();
    let mut out = String::new();
    for line in lines(session.as_bytes()) {
        let new = rewrite_line(&line, JsonContext::Record, &mut log, &mut |seen: FileText<'_>| {
            rules.find_in(&seen).into_iter().map(|finding| (finding.span, "[]".to_owned())).collect()
        });
        let new = new.unwrap_or_else(|| line.body().to_vec());
        out.push_str(std::str::from_utf8(&new).unwrap());
        out.push('\n');
    }
    out
}

/// How many of 100 secrets of a list are gone: at most the first half of one may be left.
fn check(list: &str, percent: usize) {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let (mut found, mut all, mut missed) = (0, 0, Vec::new());
    for round in 1..=ROUNDS {
        for (title, place) in places(list, round) {
            let (session, secrets) = session(&place);
            let left = redacted(&session, &rules);
            for secret in secrets {
                let tail = string(&secret[secret.len() / 2..]);
                let is_found = !left.contains(tail.trim_matches('"'));
                all += 1;
                found += usize::from(is_found);
                if !is_found {
                    missed.push(format!("{title}: {secret}"));
                }
            }
        }
    }
    assert!(places(list, 1).count() >= 80);
    assert!(found * 100 >= all * percent, "{found} of {all}: {missed:#?}");
}

#[test]
fn secrets_in_results_and_answers_are_found() {
    check(include_str!("lists/results.txt"), 96);
}

#[test]
fn secrets_of_a_list_that_was_set_aside_are_found() {
    check(include_str!("lists/unseen.txt"), 98);
}

#[test]
fn secrets_of_many_classes_and_languages_are_found() {
    check(include_str!("lists/classes.txt"), 97);
}

#[test]
fn secrets_of_the_same_classes_that_were_set_aside_are_found() {
    check(include_str!("lists/aside.txt"), 95);
}

#[test]
fn results_without_secrets_stay_as_they_are() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    for (title, place) in places(include_str!("lists/harmless_results.txt"), 1) {
        let (session, _) = session(&place);
        assert_eq!(redacted(&session, &rules), session, "{title}");
    }
}
