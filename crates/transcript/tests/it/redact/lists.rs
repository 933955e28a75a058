//! Lists of places that were written before the rules that find their secrets: how many of 100 are found.

use annals_transcript::redact::SecretRules;

use super::values::Random;

/// Values of each place.
const ROUNDS: u64 = 4;

/// A text in which `«»` are around each secret.
pub(super) struct Place {
    pub(super) text: String,
    pub(super) secrets: Vec<std::ops::Range<usize>>,
}

impl Place {
    fn of(template: &str, seed: u64) -> Self {
        let filled = Random::new(seed).fill(template);
        let (mut text, mut secrets) = (String::new(), Vec::new());
        for (at, part) in filled.split(['«', '»']).enumerate() {
            if at % 2 == 1 {
                secrets.push(text.len()..text.len() + part.len());
            }
            text.push_str(part);
        }
        Self { text, secrets }
    }
}

/// The places of a list, each with its title.
pub(super) fn places(list: &str, seed: u64) -> impl Iterator<Item = (&str, Place)> {
    list.split("==== ").skip(1).enumerate().map(move |(number, part)| {
        let (title, template) = part.split_once('\n').unwrap();
        (title, Place::of(template.trim_end_matches('\n'), seed * 1_000 + number as u64))
    })
}

/// How many secrets of a list are found, how many there are, and those that are not: a secret is found if at most its first half
/// is left.
pub(super) fn count(list: &str) -> (usize, usize, Vec<String>) {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let (mut found, mut all, mut missed) = (0, 0, Vec::new());
    for round in 1..=ROUNDS {
        for (title, place) in places(list, round) {
            let findings = rules.find(&place.text);
            for secret in &place.secrets {
                let half = secret.start + secret.len() / 2;
                let is_found = findings
                    .iter()
                    .any(|finding| finding.span.start <= half && secret.end <= finding.span.end);
                all += 1;
                found += usize::from(is_found);
                if !is_found {
                    missed.push(format!("{title}: {}", &place.text[secret.clone()]));
                }
            }
        }
    }
    (found, all, missed)
}

/// Fails if fewer of 100 are found.
fn check(list: &str, percent: usize) {
    let (found, all, missed) = count(list);
    assert!(places(list, 1).count() >= 40);
    assert!(found * 100 >= all * percent, "{found} of {all}: {missed:#?}");
}

#[test]
fn secrets_in_configuration_files_are_found() {
    check(include_str!("lists/configuration.txt"), 89);
}

#[test]
fn secrets_in_commands_logs_and_programs_are_found() {
    check(include_str!("lists/programs.txt"), 93);
}

#[test]
fn secrets_in_prose_tables_and_terminals_are_found() {
    check(include_str!("lists/prose.txt"), 90);
}

#[test]
fn secrets_of_a_list_that_was_written_last_are_found() {
    check(include_str!("lists/later.txt"), 89);
}

#[test]
fn the_text_of_a_list_may_end_anywhere() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    for list in [
        include_str!("lists/configuration.txt"),
        include_str!("lists/programs.txt"),
        include_str!("lists/prose.txt"),
        include_str!("lists/later.txt"),
        include_str!("lists/results.txt"),
        include_str!("lists/unseen.txt"),
        include_str!("lists/classes.txt"),
        include_str!("lists/aside.txt"),
    ] {
        for (_, place) in places(list, 5) {
            for end in (0..place.text.len()).filter(|end| place.text.is_char_boundary(*end)) {
                rules.find(&place.text[..end]);
            }
        }
    }
}
