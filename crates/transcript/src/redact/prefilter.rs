//! One pass over a text that says which rules may find something in it: most texts have none of the marks that a rule looks for.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

use super::haystack::Haystack;
use super::{blocks, codes, formats, logins, urls};

/// Rules that find nothing in a text without one of their marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkedRule {
    Blocks,
    Formats,
    Codes,
    Logins,
    Addresses,
}

/// The marks of all such rules, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct MarkFilter {
    marks: AhoCorasick,
    rules: Vec<MarkedRule>,
}

/// The rules that may find something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PossibleRules(u8);

impl PossibleRules {
    const ALL: u8 = 0b1_1111;

    pub(super) fn has(self, rule: MarkedRule) -> bool {
        self.0 & (1 << rule as u8) != 0
    }
}

impl MarkFilter {
    pub(super) fn new() -> Result<Self, BuildError> {
        let of = |rule: MarkedRule, marks: Vec<&'static str>| marks.into_iter().map(move |mark| (mark, rule));
        let all = of(MarkedRule::Blocks, blocks::marks().collect())
            .chain(of(MarkedRule::Formats, formats::marks().collect()))
            .chain(of(MarkedRule::Codes, codes::marks().collect()))
            .chain(of(MarkedRule::Logins, logins::marks().collect()))
            .chain(of(MarkedRule::Addresses, urls::MARKS.to_vec()));
        let (marks, rules): (Vec<_>, Vec<_>) = all.unzip();
        let marks = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(marks)?;
        Ok(Self { marks, rules })
    }

    /// Which rules may find something in a text.
    pub(super) fn find(&self, hay: &Haystack<'_>) -> PossibleRules {
        hay.count(hay.bytes.len());
        let mut found = PossibleRules::default();
        for hit in self.marks.find_overlapping_iter(hay.text) {
            found.0 |= self.rules.get(hit.pattern().as_usize()).map_or(0, |rule| 1 << *rule as u8);
            if found.0 == PossibleRules::ALL {
                break;
            }
        }
        found
    }
}
