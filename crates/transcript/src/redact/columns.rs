//! Columns of tables whose heading announces a secret: CSV with any separator, tables of Markdown, the rows of an `INSERT`.

use std::ops::Range;

use memchr::memmem;

use super::evidence::is_possible;
use super::haystack::Haystack;
use super::kind::SecretKind;
use super::names::{Strength, strength};
use super::rules::Finding;
use super::values::{Notation, is_chosen, is_secret_value};
use super::words::random_bits;

/// A longer line is no row of a table that people read.
const MAX_ROW_BYTES: usize = 2048;
const MAX_COLUMNS: usize = 64;
/// Maximum bytes of a heading.
const MAX_HEADING_BYTES: usize = 32;
/// Maximum bytes of the two lists of an `INSERT`.
const MAX_INSERT_BYTES: usize = 1024;
/// Fewest random bits of a cell: other columns may have moved.
const MIN_CELL_BITS: f64 = 15.0;

const SEPARATORS: [char; 5] = [',', ';', '\t', '|', BLANKS];
/// Two blanks or more.
const BLANKS: char = ' ';

/// The heading of a table that has a column of secrets.
struct Heading {
    separator: char,
    columns: usize,
    secret: Vec<(usize, Strength)>,
}

/// Finds the secrets of all tables.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len() * 2);
    let mut heading: Option<Heading> = None;
    let mut start = 0;
    for line in hay.text.split_inclusive('\n') {
        let place = start;
        start += line.len();
        let row = line.trim_end_matches(['\n', '\r']);
        if row.len() > MAX_ROW_BYTES {
            heading = None;
            continue;
        }
        let cells = heading.as_ref().map(|heading| (heading, cells(row, heading.separator)));
        match cells.filter(|(heading, cells)| cells.len() == heading.columns) {
            Some((heading, cells)) => found.extend(secrets(row, &cells, &heading.secret, place)),
            // The line below the names of a table.
            None if is_rule(row) => {}
            None => heading = Heading::of(row),
        }
    }
    inserted(hay, found);
}

/// `----+-------`
fn is_rule(row: &str) -> bool {
    !row.is_empty() && row.bytes().all(|byte| b"-+|:= ".contains(&byte))
}

impl Heading {
    fn of(row: &str) -> Option<Self> {
        // `COPY users (id, password) FROM stdin;` is followed by rows with tabs.
        if let Some((_, names)) = row.strip_prefix("COPY ").and_then(|rest| rest.split_once('(')) {
            let names = names.split(')').next().unwrap_or(names);
            return Self::of(names).map(|heading| Self { separator: '\t', ..heading });
        }
        let is_named = |row: &str| row.chars().any(char::is_alphabetic);
        let is_between = |separator: &char| match *separator {
            BLANKS => row.trim().contains("  "),
            separator => row.contains(separator),
        };
        let separator = SEPARATORS.into_iter().find(is_between)?;
        let all = cells(row, separator);
        let is_heading = |cell: &Range<usize>| {
            let text = &row[cell.clone()];
            text.len() <= MAX_HEADING_BYTES
                && text.chars().all(|letter| letter.is_alphanumeric() || " _-.".contains(letter))
        };
        let names: Vec<&str> = all.iter().map(|cell| &row[cell.clone()]).collect();
        // `password, token` alone may be arguments; a row of values would have to follow.
        let is_table = (2..=MAX_COLUMNS).contains(&all.len())
            && all.iter().all(is_heading)
            && names.iter().filter(|name| is_named(name)).count() >= 2;
        if !is_table {
            return None;
        }
        let secret: Vec<_> =
            names.iter().enumerate().filter_map(|(at, name)| Some((at, strength(name)?))).collect();
        (!secret.is_empty()).then_some(Self { separator, columns: all.len(), secret })
    }
}

/// The cells of a row, without blanks and quotation marks. A separator inside of quotation marks is none.
fn cells(row: &str, separator: char) -> Vec<Range<usize>> {
    if separator == BLANKS {
        let mut start = 0;
        let cells = row.split("  ").map(|cell| {
            let place = start..start + cell.len();
            start = place.end + 2;
            bare(row, place)
        });
        return cells.filter(|cell| !cell.is_empty()).take(MAX_COLUMNS + 1).collect();
    }
    let mut found = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, letter) in row.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' && row[start..at].trim().is_empty() => quote = Some(letter),
            None if letter == separator => {
                found.push(start..at);
                start = at + separator.len_utf8();
            }
            _ => {}
        }
        if found.len() > MAX_COLUMNS {
            return Vec::new();
        }
    }
    found.push(start..row.len());
    found.into_iter().map(|cell| bare(row, cell)).collect()
}

/// A cell without what is around its text.
fn bare(row: &str, cell: Range<usize>) -> Range<usize> {
    let is_around = |letter: char| letter.is_whitespace() || "\"'`".contains(letter);
    let text = &row[cell.clone()];
    let start = cell.start + text.len() - text.trim_start_matches(is_around).len();
    let length = text.trim_matches(is_around).len();
    start..start + length
}

fn secrets(row: &str, cells: &[Range<usize>], columns: &[(usize, Strength)], place: usize) -> Vec<Finding> {
    let is_secret = |cell: &Range<usize>, strength: Strength| {
        let value = &row[cell.clone()];
        is_secret_value(value, strength, Notation::Quoted)
            && !value.contains(' ')
            && (random_bits(value) >= MIN_CELL_BITS || is_chosen(value))
            || strength == Strength::Password && is_possible(value)
    };
    let found = columns.iter().filter_map(|(at, strength)| Some((cells.get(*at)?, *strength)));
    let found = found.filter(|(cell, strength)| is_secret(cell, *strength));
    let finding = |(cell, _): (&Range<usize>, Strength)| Finding {
        kind: SecretKind::Assignment,
        span: place + cell.start..place + cell.end,
    };
    found.map(finding).collect()
}

/// `INSERT INTO users (name, password) VALUES ('bob', '…')`
fn inserted(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    for keyword in [&b"VALUES"[..], b"values", b"Values"] {
        hay.count(hay.bytes.len());
        for at in memmem::find_iter(hay.bytes, keyword) {
            let is_blank = |byte: u8| byte.is_ascii_whitespace();
            let end = hay.back(at, 8, is_blank);
            if hay.before(end) != b')' {
                continue;
            }
            let start = hay.back(end - 1, MAX_INSERT_BYTES, |byte| !b"()".contains(&byte));
            let Some(names) = hay.text.get(start..end - 1) else { continue };
            let Some(heading) = Heading::of(&names.replace(['\n', '`', '"'], " ")) else { continue };
            let open = hay.skip(at + keyword.len(), 8, is_blank);
            let close = hay.skip(open + 1, MAX_INSERT_BYTES, |byte| !b")\n".contains(&byte));
            let Some(row) = hay.text.get(open + 1..close).filter(|_| hay.byte(open) == b'(') else {
                continue;
            };
            let cells = cells(row, ',');
            if heading.separator == ',' && cells.len() == heading.columns {
                found.extend(secrets(row, &cells, &heading.secret, open + 1));
            }
        }
    }
}
