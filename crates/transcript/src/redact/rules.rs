//! The rules that find secrets: built-in ones and patterns of the user.

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

use super::assign::{self, NameRules};
use super::commands::CommandRules;
use super::evidence::{EvidenceRules, is_plain_name};
use super::formats::{self, FormatRules};
use super::haystack::{Haystack, is_data};
use super::ids::is_uuid;
use super::joined::JoinedText;
use super::kind::SecretKind;
use super::marks::MarkRules;
use super::origin::TextOrigin;
use super::placeholders::placeholder_spans;
use super::prefilter::{MarkFilter, MarkedRule};
use super::ranges::ClaimedRanges;
use super::rewrite::FileText;
use super::view::View;
use super::visit::TextKind;
use super::windows::{is_long, windows};
use super::{blocks, codes, columns, encoded, headers, lines, links, logins, lone, urls};

/// How often base64 is decoded within base64.
const MAX_ENCODINGS: usize = 3;

/// What begins the address of a link in a terminal.
const HYPERLINK: &[u8] = b"]8;";
/// No format of a key is shorter.
const MIN_SECRET_BYTES: usize = 14;
/// The length of `2026-01-02T03:04:05.678Z`.
const TIME_BYTES: usize = 24;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of secret it looks like.
    pub kind: SecretKind,
    /// Its byte range.
    pub span: Range<usize>,
}

/// A pattern that is not a valid regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternError {
    /// The error message.
    pub message: String,
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

impl From<regex::Error> for PatternError {
    fn from(error: regex::Error) -> Self {
        Self { message: error.to_string() }
    }
}

impl From<aho_corasick::BuildError> for PatternError {
    fn from(error: aho_corasick::BuildError) -> Self {
        Self { message: error.to_string() }
    }
}

/// The rules that find secrets.
#[derive(Clone, Debug)]
pub struct SecretRules {
    filter: MarkFilter,
    formats: FormatRules,
    names: NameRules,
    commands: CommandRules,
    marks: MarkRules,
    evidence: EvidenceRules,
    kinds: BTreeSet<SecretKind>,
    patterns: Vec<Regex>,
}

impl SecretRules {
    /// Finds secrets of these kinds (all if empty) and matches of these patterns.
    pub fn new(kinds: &[SecretKind], patterns: &[String]) -> Result<Self, PatternError> {
        let chosen = if kinds.is_empty() { &SecretKind::ALL[..] } else { kinds };
        let patterns: Result<Vec<_>, _> = patterns.iter().map(|pattern| Regex::new(pattern)).collect();
        Ok(Self {
            filter: MarkFilter::new()?,
            formats: FormatRules::new()?,
            names: NameRules::new()?,
            commands: CommandRules::new()?,
            marks: MarkRules::new()?,
            evidence: EvidenceRules::new()?,
            kinds: chosen.iter().copied().collect(),
            patterns: patterns?,
        })
    }

    /// The kinds of secrets that are looked for.
    pub fn kinds(&self) -> impl Iterator<Item = SecretKind> {
        self.kinds.iter().copied()
    }

    /// The patterns of the user.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(Regex::as_str)
    }

    /// Returns the secrets of a text, in order, without overlap.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.find_counting(text, &TextOrigin::Unknown).0
    }

    /// Returns the secrets of a text, and how many bytes were looked at to find them.
    pub(super) fn find_counting(&self, text: &str, origin: &TextOrigin) -> (Vec<Finding>, usize) {
        let (mut found, work) = match is_bare_name(text) && *origin == TextOrigin::Unknown {
            true => (Vec::new(), text.len()),
            false => self.built_in(text, 0, origin),
        };
        found.retain(|finding| self.kinds.contains(&finding.kind));
        if !is_data(text) {
            for pattern in &self.patterns {
                let hits = pattern.find_iter(text).filter(|hit| !hit.is_empty());
                found.extend(hits.map(|hit| Finding { kind: SecretKind::Pattern, span: hit.range() }));
            }
        }
        (without_overlaps(text, found), work)
    }

    /// What the built-in rules find, the surest first.
    fn built_in(&self, text: &str, depth: usize, origin: &TextOrigin) -> (Vec<Finding>, usize) {
        if is_data(text) {
            let inside = encoded::decode(text).filter(|_| depth < MAX_ENCODINGS);
            let (found, work) =
                inside.map_or((Vec::new(), 0), |inside| self.built_in(&inside, depth + 1, origin));
            let whole = found.first().map(|finding| Finding { kind: finding.kind, span: 0..text.len() });
            return (whole.into_iter().collect(), work + text.len());
        }
        let mut work = 0;
        let mut found = in_windows(text, |window| {
            let (found, more) = self.in_window(window, depth, origin);
            work += more;
            found
        });
        if is_long(text) {
            // The names of columns are above all rows, which only the first window sees.
            let hay = Haystack::new(text);
            columns::find(&hay, &mut found);
            work += hay.work();
        }
        (found, work)
    }

    /// The same for a text that is not too long.
    fn in_window(&self, text: &str, depth: usize, origin: &TextOrigin) -> (Vec<Finding>, usize) {
        let view = View::of(text);
        let hay = Haystack::new(&view.text);
        let mut found = Vec::new();
        let may = self.filter.find(&hay);
        let mut public = Vec::new();
        if may.has(MarkedRule::Blocks) {
            public = blocks::find(&hay, &mut found);
        }
        self.formats.find(&hay, &mut found);
        if may.has(MarkedRule::Formats) {
            formats::find_marks(&hay, &mut found);
        }
        if may.has(MarkedRule::Addresses) {
            urls::find(&hay, &mut found);
            links::find(&hay, &mut found);
        }
        let has_names = self.names.find(&hay, &mut found);
        self.commands.find(&hay, &mut found);
        self.marks.find(&hay, &mut found);
        lines::find(&hay, &mut found);
        if may.has(MarkedRule::Logins) {
            logins::find(&hay, &mut found);
        }
        if has_names {
            columns::find(&hay, &mut found);
        }
        if may.has(MarkedRule::Codes) {
            codes::find(&hay, &mut found);
        }
        lone::find(&hay, &public, &mut found);
        self.evidence.find(&hay, origin, &mut found);
        // The digits of a certificate may look like a key, but what is known by its name or format stays found.
        let is_guess = |finding: &Finding| match finding.kind {
            SecretKind::Aws => !view.text[finding.span.clone()].starts_with('A'),
            kind => kind == SecretKind::Entropy,
        };
        found.retain(|finding| !is_guess(finding) || !is_inside(&public, &finding.span));
        let mut work = hay.work();
        work += self.encoded(&hay, depth, &mut found, |span| Some(span.clone()));
        if let Some(joined) = JoinedText::of(&view.text) {
            let hay = Haystack::new(&joined.text);
            let mut whole = Vec::new();
            formats::find_in_joined(&hay, &mut whole);
            work += hay.work() + self.encoded(&hay, depth, &mut whole, |span| joined.source(span));
            let source = |finding: Finding| Some(Finding { span: joined.source(&finding.span)?, ..finding });
            found.extend(whole.into_iter().filter_map(source));
        }
        for finding in &mut found {
            finding.span = view.source(&finding.span);
        }
        if view.is_changed() && may.has(MarkedRule::Addresses) {
            // `%2F` and `%40` belong to a password here: without them it would end the address.
            let plain = Haystack::new(text);
            urls::find(&plain, &mut found);
            work += plain.work();
        }
        if memchr::memmem::find(text.as_bytes(), HYPERLINK).is_some() {
            // The address of a link is there, though it is not shown.
            let plain = Haystack::new(text);
            self.formats.find(&plain, &mut found);
            urls::find(&plain, &mut found);
            work += plain.work();
        }
        (found, work)
    }

    /// Finds the runs of base64 in which there is a secret, of those that have a place. Returns the work.
    fn encoded(
        &self,
        hay: &Haystack<'_>,
        depth: usize,
        found: &mut Vec<Finding>,
        place: impl Fn(&Range<usize>) -> Option<Range<usize>>,
    ) -> usize {
        if depth >= MAX_ENCODINGS {
            return 0;
        }
        let mut work = 0;
        for (span, inside) in encoded::runs(hay) {
            if place(&span).is_none() {
                continue;
            }
            let (secrets, more) = self.built_in(&inside, depth + 1, &TextOrigin::Unknown);
            work += more;
            found.extend(secrets.first().map(|secret| Finding { kind: secret.kind, span }));
        }
        work
    }

    /// Returns the secrets that are certain by their format alone.
    pub fn find_shapes(&self, text: &str) -> Vec<Finding> {
        let mut found = if is_data(text) || is_bare_name(text) {
            Vec::new()
        } else {
            in_windows(text, |window| {
                let view = View::of(window);
                let hay = Haystack::new(&view.text);
                let may = self.filter.find(&hay);
                let mut found = Vec::new();
                if may.has(MarkedRule::Blocks) {
                    blocks::find(&hay, &mut found);
                }
                self.formats.find(&hay, &mut found);
                if may.has(MarkedRule::Formats) {
                    formats::find_marks(&hay, &mut found);
                }
                for finding in &mut found {
                    finding.span = view.source(&finding.span);
                }
                found
            })
        };
        found.retain(|finding| self.kinds.contains(&finding.kind));
        without_overlaps(text, found)
    }

    /// Returns the secrets of a text, with the rules for its kind.
    pub fn find_in(&self, text: &FileText<'_>) -> Vec<Finding> {
        match text.kind {
            TextKind::RecordKey => self.find_shapes(text.text),
            TextKind::Key => self.find(text.text),
            TextKind::Text | TextKind::Thought if is_plain_name(text.name) => {
                self.find_named(text, &TextOrigin::Unknown)
            }
            TextKind::Text | TextKind::Thought => self.find_named(text, text.origin),
        }
    }

    /// Returns the secrets of the value of a field, whose name may announce one.
    fn find_named(&self, file_text: &FileText<'_>, origin: &TextOrigin) -> Vec<Finding> {
        let (name, text) = (file_text.name, file_text.text);
        let found = self.find_counting(text, origin).0;
        if !found.is_empty() || name.is_empty() {
            return found;
        }
        let mut named = headers::of_field(name, text);
        if named.is_empty() {
            named.extend(assign::of_field(name, text));
        }
        named.retain(|finding| self.kinds.contains(&finding.kind));
        without_overlaps(text, named)
    }
}

/// Whether a text is a name, a number, a time or an id, as most fields of records hold: shorter than any key, and without a
/// sign that joins a name and a value.
fn is_bare_name(text: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_time = text.len() == TIME_BYTES && text.ends_with('Z') && text.as_bytes()[10] == b'T';
    text.len() < MIN_SECRET_BYTES && text.bytes().all(is_name) || is_time || is_uuid(text)
}

/// Searches a text window by window.
fn in_windows(text: &str, mut find: impl FnMut(&str) -> Vec<Finding>) -> Vec<Finding> {
    let mut all = Vec::new();
    for window in windows(text) {
        let start = window.range.start;
        let found = find(&text[window.range]).into_iter();
        let found = found.map(|finding| Finding {
            kind: finding.kind,
            span: start + finding.span.start..start + finding.span.end,
        });
        all.extend(found.filter(|finding| window.taken.contains(&finding.span.start)));
    }
    all
}

/// Whether a range is inside one of these, which are in order.
pub(super) fn is_inside(ranges: &[Range<usize>], span: &Range<usize>) -> bool {
    let next = ranges.partition_point(|range| range.end <= span.start);
    ranges.get(next).is_some_and(|range| range.start <= span.start)
}

/// Drops placeholders and overlaps; the finding of the more specific rule stays.
fn without_overlaps(text: &str, mut found: Vec<Finding>) -> Vec<Finding> {
    if found.is_empty() {
        return found;
    }
    let mut claimed = ClaimedRanges::default();
    for ours in placeholder_spans(text) {
        claimed.claim(&ours);
    }
    found.retain(|finding| claimed.claim(&finding.span));
    found.sort_by_key(|finding| finding.span.start);
    found
}
