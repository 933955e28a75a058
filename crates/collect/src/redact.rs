//! Secrets leave what leaves the machine: by the rules by which `annals redact` finds them, before anything is sent.

use annals_transcript::line::{Line, lines};
use annals_transcript::redact::{
    Look, Placeholders, Replacement, Rules, Seen, Zone, replacements, rewrite_json, rewrite_line,
};

use crate::choice::Kind;

/// So many times secrets are looked for again; each time only what the last replacements uncovered can be left.
const MOST_ROUNDS: usize = 8;

/// The redaction of one file. What was found is remembered as long as the file is read, and replaced also where it stands
/// without the words by which it was found.
#[derive(Debug)]
pub struct Redactor<'r> {
    rules: &'r Rules,
    kind: Kind,
    known: Placeholders,
}

impl<'r> Redactor<'r> {
    /// Begins with a file.
    pub fn new(rules: &'r Rules, kind: Kind) -> Self {
        Self { rules, kind, known: Placeholders::default() }
    }

    /// The texts without their secrets, `None` for one that does not get rid of them: found first in all of them, then
    /// replaced, then looked for again.
    pub fn redact(&mut self, texts: &[Vec<u8>]) -> Vec<Option<String>> {
        let found: Vec<bool> = texts.iter().map(|text| self.note(text)).collect();
        texts.iter().zip(found).map(|(text, found)| self.one(text, found)).collect()
    }

    fn one(&mut self, text: &[u8], mut found: bool) -> Option<String> {
        let mut now = text.to_vec();
        // Even where nothing is found, what was found elsewhere may stand there.
        for _ in 0..MOST_ROUNDS {
            if self.known.counts().is_empty() {
                break;
            }
            let (rules, known) = (self.rules, &mut self.known);
            let mut look = |seen: Seen<'_>| unnumbered(replacements(&seen, rules, known));
            match rewrite(self.kind, zone_of(self.kind), &now, &mut look) {
                Some(new) => now = new,
                None => break,
            }
            found = self.note(&now);
            if !found {
                break;
            }
        }
        let is_safe = !found && !self.has_shape(&now);
        is_safe.then(|| String::from_utf8_lossy(&now).into_owned())
    }

    /// Whether something that can be nothing but a secret is left, where nothing may be replaced: an id, a folder.
    fn has_shape(&self, text: &[u8]) -> bool {
        let mut any = false;
        rewrite(self.kind, Zone::Open, text, &mut |seen: Seen<'_>| {
            any |= !self.rules.find_shapes(seen.text).is_empty();
            Vec::new()
        });
        any
    }

    /// Remembers every secret, and tells whether there is one.
    fn note(&mut self, text: &[u8]) -> bool {
        let (rules, known) = (self.rules, &mut self.known);
        let mut any = false;
        rewrite(self.kind, zone_of(self.kind), text, &mut |seen: Seen<'_>| {
            for finding in rules.find_seen(&seen) {
                known.of(finding.kind, &seen.text[finding.span]);
                any = true;
            }
            Vec::new()
        });
        any
    }
}

fn zone_of(kind: Kind) -> Zone {
    match kind {
        Kind::Lines | Kind::Record => Zone::Record,
        Kind::Output => Zone::Free,
    }
}

fn rewrite(kind: Kind, zone: Zone, text: &[u8], look: &mut Look<'_>) -> Option<Vec<u8>> {
    match kind {
        Kind::Lines => {
            let line: Line<'_> = lines(text).next()?;
            rewrite_line(&line, zone, look)
        }
        Kind::Record | Kind::Output => rewrite_json(text, zone, look),
    }
}

/// Numbers would count by what else was read in the same pass: a line that is sent twice would differ from itself.
fn unnumbered(mut all: Vec<Replacement>) -> Vec<Replacement> {
    for (_, placeholder) in &mut all {
        if let Some(at) = placeholder.rfind(':') {
            placeholder.replace_range(at..placeholder.len() - 1, "");
        }
    }
    all
}
