//! Removes secrets before anything is sent, by the rules of `annals redact`.

use annals_store::digest::short;
use annals_transcript::redact::{
    CallLog, FileText, JsonContext, LastMessage, Placeholders, ReplaceFn, Replacement, SecretRules,
    replacements, rewrite_json, rewrite_line,
};

use annals_transcript::record_lines::record_lines;

use crate::selection::FileKind;

/// A short hash of the rules: the same for the same release and the same patterns.
pub fn rules_id(rules: &SecretRules) -> String {
    let mut all = env!("CARGO_PKG_VERSION").to_owned();
    for kind in rules.kinds() {
        all.push('\n');
        all.push_str(kind.name());
    }
    for pattern in rules.patterns() {
        all.push('\0');
        all.push_str(pattern);
    }
    short(all.as_bytes())
}

/// How often a text is searched again: each replacement may uncover another secret.
const MAX_ROUNDS: usize = 8;

/// The redaction of one file. A secret that was found once is replaced everywhere in the file, also without the words by
/// which it was found.
#[derive(Debug)]
pub struct Redactor<'r> {
    rules: &'r SecretRules,
    kind: FileKind,
    known: Placeholders,
    /// What was run and said before the next text.
    calls: CallLog,
}

impl<'r> Redactor<'r> {
    /// Begins with a file.
    pub fn new(rules: &'r SecretRules, kind: FileKind) -> Self {
        Self { rules, kind, known: Placeholders::default(), calls: CallLog::default() }
    }

    /// Removes the secrets of these texts; `None` for a text in which some remain. Secrets are found in all texts first, then
    /// replaced, then searched for again.
    pub fn redact(&mut self, texts: Vec<Vec<u8>>) -> Vec<Option<String>> {
        let mut places = Vec::with_capacity(texts.len());
        let mut note = |text: &Vec<u8>| {
            places.push(self.calls.last_message());
            self.note(text)
        };
        let found: Vec<bool> = texts.iter().map(&mut note).collect();
        let end = self.calls.last_message();
        let texts = texts.into_iter().zip(found).zip(places);
        let texts = texts.map(|((text, found), place)| self.one(text, found, &place)).collect();
        self.calls.return_to(&end);
        texts
    }

    /// Notes what was run and said in the lines before the first text; they were sent before.
    pub fn recall(&mut self, lines: &[u8]) {
        for line in record_lines(lines) {
            rewrite_line(&line, zone_of(self.kind), &mut self.calls, &mut |_: FileText<'_>| Vec::new());
        }
    }

    fn one(&mut self, mut now: Vec<u8>, mut found: bool, place: &LastMessage) -> Option<String> {
        // Even if nothing is found here, it may hold what was found elsewhere.
        for _ in 0..MAX_ROUNDS {
            if self.known.counts().is_empty() {
                break;
            }
            let (rules, known) = (self.rules, &mut self.known);
            let mut look = |seen: FileText<'_>| without_numbers(replacements(&seen, rules, known));
            self.calls.return_to(place);
            match rewrite(self.kind, zone_of(self.kind), &now, &mut self.calls, &mut look) {
                Some(new) => now = new,
                None => break,
            }
            self.calls.return_to(place);
            found = self.note(&now);
            if !found {
                break;
            }
        }
        let is_safe = !found && !self.has_shape(&now);
        is_safe.then(|| {
            String::from_utf8(now)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        })
    }

    /// Whether something that can be nothing but a secret is left, where nothing may be replaced: an id, a folder.
    fn has_shape(&self, text: &[u8]) -> bool {
        let mut any = false;
        rewrite(self.kind, JsonContext::ScanOnly, text, &mut CallLog::default(), &mut |seen: FileText<
            '_,
        >| {
            any |= !self.rules.find_shapes(seen.text).is_empty();
            Vec::new()
        });
        any
    }

    /// Remembers every secret, and tells whether there is one.
    fn note(&mut self, text: &[u8]) -> bool {
        let (rules, known) = (self.rules, &mut self.known);
        let mut any = false;
        rewrite(self.kind, zone_of(self.kind), text, &mut self.calls, &mut |seen: FileText<'_>| {
            for finding in rules.find_in(&seen) {
                known.of(finding.kind, &seen.text[finding.span]);
                any = true;
            }
            Vec::new()
        });
        any
    }
}

fn zone_of(kind: FileKind) -> JsonContext {
    match kind {
        FileKind::Lines | FileKind::Record => JsonContext::Record,
        FileKind::Output => JsonContext::ToolData,
    }
}

fn rewrite(
    kind: FileKind,
    zone: JsonContext,
    text: &[u8],
    calls: &mut CallLog,
    look: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    match kind {
        FileKind::Lines => {
            let line = record_lines(text).next()?;
            rewrite_line(&line, zone, calls, look)
        }
        FileKind::Record | FileKind::Output => rewrite_json(text, zone, calls, look),
    }
}

/// Numbers would count by what else was read in the same pass: a line that is sent twice would differ from itself.
fn without_numbers(mut all: Vec<Replacement>) -> Vec<Replacement> {
    for (_, placeholder) in &mut all {
        if let Some(at) = placeholder.rfind(':') {
            placeholder.replace_range(at..placeholder.len() - 1, "");
        }
    }
    all
}
