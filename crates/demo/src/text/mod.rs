//! Puts words together: patterns with slots become sentences, answers, source files and the output of tools.

pub(crate) mod compose;
pub(crate) mod names;

use crate::random::Random;
use crate::words::{PHRASES, Project, WORDS};

/// Writes texts about one project.
#[derive(Debug, Clone)]
pub(crate) struct TextWriter {
    pub(crate) random: Random,
    pub(crate) project: &'static Project,
    /// The moment that logs lead up to.
    pub(crate) today: i64,
    /// The subject of the current piece of code: its variable keeps its name.
    subject: Option<&'static str>,
}

impl TextWriter {
    pub(crate) fn new(random: Random, project: &'static Project) -> Self {
        Self { random, project, today: crate::clock::FIRST_DAY, subject: None }
    }

    /// Fills the slots of `pattern`; braces that name no slot stay as they are.
    pub(crate) fn fill(&mut self, out: &mut String, pattern: &str) {
        let mut rest = pattern;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            let close = rest[1..].find(['{', '}', ' ', '\n']).map_or(rest.len(), |at| at + 1);
            let at = out.len();
            if rest[close..].starts_with('}') && self.slot(out, &rest[1..close]) {
                article(out, at);
                rest = &rest[close + 1..];
            } else {
                out.push('{');
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
    }

    /// A pattern filled, as a value.
    pub(crate) fn one(&mut self, pattern: &str) -> String {
        let mut out = String::with_capacity(pattern.len() * 2);
        self.subject = None;
        self.fill(&mut out, pattern);
        out
    }

    fn slot(&mut self, out: &mut String, name: &str) -> bool {
        let project = self.project;
        match name {
            "noun" => out.push_str(self.random.word(&project.nouns)),
            "adj" => out.push_str(self.random.word(&WORDS.adjectives)),
            "verb" => out.push_str(self.random.pick(&WORDS.verbs)[0]),
            "verbs" => {
                let verb = self.random.pick(&WORDS.verbs)[0];
                match verb.strip_suffix('y') {
                    Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => out.extend([stem, "ies"]),
                    _ if verb.ends_with(['h', 's', 'x']) => out.extend([verb, "es"]),
                    _ => out.extend([verb, "s"]),
                }
            }
            "ing" => out.push_str(self.random.pick(&WORDS.verbs)[1]),
            "past" => out.push_str(self.random.pick(&WORDS.verbs)[2]),
            "person" => out.push_str(self.random.word(&WORDS.people)),
            "pkg" => out.push_str(self.random.word(&project.packages)),
            "area" => out.push_str(self.random.word(&project.folders)),
            "cmd" => out.push_str(self.random.pick(&project.commands).0),
            "test" => out.push_str(project.test),
            "field" => out.push_str(self.random.word(&WORDS.fields)),
            "file" => self.file(out),
            "func" => self.function(out),
            "type" => self.type_name(out),
            "i" => self.variable(out),
            "mod" | "snake" => self.snake(out),
            "SNAKE" => {
                let from = out.len();
                self.variable(out);
                out[from..].make_ascii_uppercase();
            }
            "Field" => {
                let field = self.random.word(&WORDS.fields);
                names::pascal(out, field);
            }
            "err" => {
                let pattern = self.random.word(&PHRASES.errors);
                self.fill(out, pattern);
            }
            "num" => self.number(out, 3, 9_800),
            "small" => self.number(out, 2, 97),
            "ms" => self.number(out, 40, 9_000),
            "sha" => out.push_str(&self.random.hex(8)),
            "ticket" => {
                out.push_str(if self.random.chance(50) { "OPS-" } else { "DEV-" });
                self.number(out, 100, 4_000);
            }
            _ => return false,
        }
        true
    }

    fn number(&mut self, out: &mut String, low: u64, high: u64) {
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        let mut value = self.random.between(low, high);
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
    }
}

/// "a orphaned note" becomes "an orphaned note"; `at` is where the word begins.
fn article(out: &mut String, at: usize) {
    let before = &out[..at];
    let vowel = out[at..].starts_with(['a', 'e', 'i', 'o']) || out[at..].starts_with("un");
    let bare = before.strip_suffix([' ']).and_then(|rest| rest.strip_suffix(['a', 'A']));
    if vowel && bare.is_some_and(|rest| !rest.ends_with(|last: char| last.is_alphanumeric())) {
        out.insert(at - 1, 'n');
    }
}
