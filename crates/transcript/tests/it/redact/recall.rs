//! At least 95 of 100 generated secrets are found, whatever their kind, place and disguise; samples and code are not.

use std::collections::BTreeMap;

use annals_transcript::redact::SecretRules;

use super::contexts::{CONTEXTS, Disguise, WRAPPINGS};
use super::fresh::FRESH_PLACES;
use super::kinds::{FORMATS, NAMED, PLACES};
use super::places::{KNOWN_PLACES, NEIGHBOUR_PLACES, OTHER_PLACES, UNSEEN_PLACES};
use super::services::SERVICE_PLACES;
use super::tools::{LATER_TOOL_PLACES, TOOL_PLACES};
use super::values::Random;

/// Values of each kind.
const ROUNDS: u64 = 4;

/// What is left of a text when its secrets are cut out.
fn left(rules: &SecretRules, text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for finding in rules.find(text) {
        out.push_str(&text[at..finding.span.start]);
        out.push('\u{1}');
        at = finding.span.end;
    }
    out + &text[at..]
}

/// Whether more than a prefix of a secret is left: any eight characters of its second half.
fn is_left(rest: &str, secret: &str) -> bool {
    let half = &secret.as_bytes()[secret.len() / 2..];
    half.windows(8.min(half.len())).any(|part| rest.as_bytes().windows(part.len()).any(|here| here == part))
}

#[derive(Default)]
struct RecallTable {
    rows: BTreeMap<String, (usize, usize)>,
    missed: Vec<String>,
}

impl RecallTable {
    fn note(&mut self, row: &str, what: &str, is_found: bool) {
        let (found, all) = self.rows.entry(row.to_owned()).or_default();
        *found += usize::from(is_found);
        *all += 1;
        if !is_found && !self.missed.iter().any(|missed| missed == what) {
            self.missed.push(what.to_owned());
        }
    }

    /// Fails below 95 of 100 in any row.
    fn check(&self) {
        self.check_at_least(95);
    }

    fn check_at_least(&self, percent: usize) {
        for (row, (found, all)) in &self.rows {
            assert!(found * 100 >= all * percent, "{row}: {found} of {all}; missed: {:?}", self.missed);
        }
    }
}

#[test]
fn there_are_enough_kinds() {
    assert!(FORMATS.len() + NAMED.len() + PLACES.len() >= 200);
    assert!(FORMATS.len() >= 120, "{}", FORMATS.len());
}

#[test]
fn tokens_are_found_in_every_context() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for round in 0..ROUNDS {
        for (kind, template) in FORMATS {
            for (context, around) in CONTEXTS {
                let secret = Random::new(round + 1).fill(template);
                let rest = left(&rules, &around.replace("{}", &secret));
                table.note(context, &format!("{kind} in {context}"), !is_left(&rest, &secret));
            }
        }
    }
    table.check();
}

#[test]
fn tokens_are_found_in_every_disguise() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for (kind, template) in FORMATS {
        for disguise in Disguise::ALL {
            let secret = Random::new(7).fill(template);
            let shown = disguise.of(&secret);
            let rest = left(&rules, &format!("look at {shown} there"));
            let is_found = !is_left(&rest, &shown);
            table.note(&format!("{disguise:?}"), &format!("{kind} {disguise:?}"), is_found);
        }
    }
    table.check();
}

/// Writes a name and the place of its value.
type Notation = fn(&str) -> String;

#[test]
fn values_are_found_by_their_names() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    let forms: [(&str, Notation); 8] = [
        ("env", |name| format!("{name}=«»")),
        ("export", |name| format!("export {name}=\"«»\"")),
        ("yaml", |name| format!("env:\n  {name}: «»\n")),
        ("json", |name| format!("{{\"{name}\": \"«»\"}}")),
        ("python", |name| format!("{name} = '«»'")),
        ("small", |name| format!("{} = \"«»\"", name.to_lowercase())),
        ("docker", |name| format!("docker run -e {name}=«» image")),
        ("flag", |name| format!("run --{} «» now", name.to_lowercase().replace('_', "-"))),
    ];
    for round in 0..ROUNDS {
        for (name, template) in NAMED {
            for (form, write) in forms {
                let secret = Random::new(round + 11).fill(template);
                let rest = left(&rules, &write(name).replace("«»", &secret));
                table.note(form, &format!("{name} in {form}"), !is_left(&rest, &secret));
            }
        }
    }
    table.check();
}

#[test]
fn secrets_are_found_where_they_are_usually_written() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for round in 0..ROUNDS {
        for (place, template) in PLACES {
            let filled = Random::new(round + 23)
                .fill(&template.replace("<password>", "‹password›").replace("</password>", "‹/password›"));
            let filled = filled.replace("‹", "<").replace("›", ">");
            let (before, rest) = filled.split_once('«').unwrap();
            let (secret, after) = rest.split_once('»').unwrap();
            let rest = left(&rules, &format!("{before}{secret}{after}"));
            table.note("places", place, !is_left(&rest, secret));
        }
    }
    table.check();
}

/// Fills the template of a place: the text, and the secret in it. `‹ ›` are the brackets of XML.
fn filled(template: &str, seed: u64) -> (String, String) {
    let filled = Random::new(seed).fill(template).replace('‹', "<").replace('›', ">");
    let (before, rest) = filled.split_once('«').unwrap();
    let (secret, after) = rest.split_once('»').unwrap();
    (format!("{before}{secret}{after}"), secret.to_owned())
}

/// Looks for the secrets of places in every wrapping.
fn find_places(places: &[(&str, &str)]) -> RecallTable {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for round in 0..ROUNDS {
        for (place, template) in places {
            let (text, secret) = filled(template, round + 31);
            for (wrapping, wrap) in WRAPPINGS {
                let rest = left(&rules, &wrap(&text));
                let is_found = !secret.lines().any(|line| is_left(&rest, line.trim()));
                table.note(wrapping, &format!("{place} ({wrapping}): {secret}"), is_found);
            }
        }
    }
    table
}

#[test]
fn secrets_of_configuration_protocols_and_databases_are_found() {
    find_places(KNOWN_PLACES).check();
}

#[test]
fn secrets_of_other_programs_and_of_prose_are_found() {
    find_places(OTHER_PLACES).check();
}

#[test]
fn secrets_of_places_that_were_written_down_last_are_found() {
    // Logins without any word that says so (`bob:…`) are among them.
    find_places(UNSEEN_PLACES).check_at_least(90);
}

#[test]
fn secrets_that_a_neighbour_announces_are_found() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for round in 0..ROUNDS {
        for (place, template) in NEIGHBOUR_PLACES {
            let (text, secret) = filled(template, round + 41);
            let is_found = !is_left(&left(&rules, &text), &secret);
            table.note("neighbours", &format!("{place}: {secret}"), is_found);
        }
    }
    table.check();
}

#[test]
fn secrets_of_lists_that_were_written_without_the_rules_are_found() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    for (list, places) in
        [("fresh places", FRESH_PLACES), ("services", SERVICE_PLACES), ("tools", TOOL_PLACES)]
    {
        let mut table = RecallTable::default();
        for round in 0..ROUNDS {
            for (place, template) in places {
                let (text, secret) = filled(template, round + 53);
                let rest = left(&rules, &text);
                let is_found = !secret.lines().any(|line| is_left(&rest, line.trim()));
                table.note(list, &format!("{place}: {text}"), is_found);
            }
        }
        assert!(places.len() >= 150);
        table.check();
    }
}

#[test]
fn most_secrets_of_a_list_that_was_written_last_are_found() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut table = RecallTable::default();
    for round in 0..ROUNDS {
        for (place, template) in LATER_TOOL_PLACES {
            let (text, secret) = filled(template, round + 61);
            let rest = left(&rules, &text);
            table.note("later tools", &format!("{place}: {text}"), !is_left(&rest, &secret));
        }
    }
    // Passwords of CVS and Subversion, keys in arrays and numbers alone have no mark of their own.
    table.check_at_least(88);
}

#[test]
fn a_text_may_end_anywhere() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    for (_, template) in KNOWN_PLACES
        .iter()
        .chain(OTHER_PLACES)
        .chain(UNSEEN_PLACES)
        .chain(NEIGHBOUR_PLACES)
        .chain(FRESH_PLACES)
        .chain(SERVICE_PLACES)
        .chain(TOOL_PLACES)
        .chain(LATER_TOOL_PLACES)
    {
        let (text, _) = filled(template, 5);
        for end in (0..text.len().min(240)).filter(|end| text.is_char_boundary(*end)) {
            rules.find(&text[..end]);
        }
    }
}

#[test]
fn texts_without_secrets_stay_as_they_are() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut found = Vec::new();
    for text in include_str!("plain.txt").split("==== ").skip(1) {
        let (title, text) = text.split_once('\n').unwrap();
        let hits = rules.find(text).into_iter().map(|finding| text[finding.span].to_owned());
        found.extend(hits.map(|hit| (title, hit)));
        for line in text.lines() {
            let hits = rules.find(line).into_iter().map(|finding| line[finding.span].to_owned());
            found.extend(hits.map(|hit| (title, hit)));
        }
    }
    assert_eq!(found, []);
}

#[test]
fn samples_types_and_identifiers_are_no_secrets() {
    let rules = SecretRules::new(&[], &[]).unwrap();
    let harmless = include_str!("harmless.txt");
    let found: Vec<_> = harmless
        .lines()
        .filter(|line| !line.is_empty())
        .flat_map(|line| rules.find(line).into_iter().map(move |finding| (line, &line[finding.span])))
        .collect();
    assert_eq!(found, []);
}
