//! The cross-reference table in both forms, and the search for objects if it is damaged.

use std::collections::{HashMap, HashSet};

use memchr::memmem;

use super::PdfDamage;
use super::file::{ObjectLocation, Pdf};
use super::object::{Dict, Object};
use super::parse::{Parser, is_space};

/// How far from the end `startxref` is searched.
const TAIL: usize = 4096;
/// The most objects of a table: a stream of zeros could claim any number.
const MAX_OBJECTS: usize = 2_000_000;
/// The keys of trailers that are kept.
const TRAILER_KEYS: [&str; 2] = ["Root", "Encrypt"];

/// Where objects are stored, and the trailer.
#[derive(Default)]
pub(super) struct XrefTable {
    of: HashMap<u32, Option<ObjectLocation>>,
    pub(super) trailer: Dict,
}

impl XrefTable {
    pub(super) fn of(&self, number: u32) -> Option<ObjectLocation> {
        self.of.get(&number).copied().flatten()
    }

    /// Notes a location; the first one counts, since the newest part of a file is read first. `None` if the object was deleted.
    fn note(&mut self, number: usize, place: Option<ObjectLocation>) {
        if let Ok(number) = u32::try_from(number)
            && self.of.len() < MAX_OBJECTS
        {
            self.of.entry(number).or_insert(place);
        }
    }

    /// The same for trailers.
    fn add(&mut self, trailer: &Dict) {
        for key in TRAILER_KEYS {
            if let (None, Some(value)) = (self.trailer.get(key), trailer.get(key)) {
                let value = value.clone();
                self.trailer.0.push((key.as_bytes().to_vec(), value));
            }
        }
    }
}

/// Reads the cross-reference tables, the newest first.
pub(super) fn read(pdf: &mut Pdf<'_>) -> Result<(), PdfDamage> {
    let tail = pdf.bytes.len().saturating_sub(TAIL);
    let start = memmem::rfind(&pdf.bytes[tail..], b"startxref").ok_or(PdfDamage::NoReference)?;
    let mut next = Parser::new(pdf.bytes, tail + start + b"startxref".len()).number();
    let mut visited = HashSet::new();
    while let Some(at) = next {
        if !visited.insert(at) {
            break;
        }
        let mut parser = Parser::new(pdf.bytes, at);
        parser.skip_spaces();
        let trailer = if parser.takes(b"xref") {
            let trailer = table(pdf, parser, at)?;
            if let Some(stream) = trailer.number("XRefStm").filter(|at| visited.insert(*at)) {
                packed(pdf, stream)?;
            }
            trailer
        } else {
            packed(pdf, at)?
        };
        pdf.places().add(&trailer);
        next = trailer.number("Prev");
    }
    Ok(())
}

/// The older form: lines of offsets, and a trailer.
fn table(pdf: &mut Pdf<'_>, mut parser: Parser<'_>, start: usize) -> Result<Dict, PdfDamage> {
    loop {
        parser.skip_spaces();
        if parser.takes(b"trailer") {
            let trailer = parser.object();
            pdf.spend(parser.looked_at(start), parser.values())?;
            return trailer.as_ref().and_then(Object::dict).cloned().ok_or(PdfDamage::NoReference);
        }
        let (Some(first), Some(count)) = (parser.number(), parser.number()) else {
            return Err(PdfDamage::NoReference);
        };
        for number in first..first.saturating_add(count) {
            let (Some(offset), Some(_)) = (parser.number(), parser.number()) else {
                return Err(PdfDamage::NoReference);
            };
            parser.skip_spaces();
            let place = if parser.takes(b"n") {
                Some(ObjectLocation::At(offset))
            } else if parser.takes(b"f") {
                None
            } else {
                return Err(PdfDamage::NoReference);
            };
            pdf.places().note(number, place);
        }
    }
}

/// The newer form: a stream.
fn packed(pdf: &mut Pdf<'_>, at: usize) -> Result<Dict, PdfDamage> {
    let (_, indirect) = pdf.at(at)?.ok_or(PdfDamage::NoReference)?;
    let dict = indirect
        .object
        .dict()
        .filter(|dict| dict.says("Type", "XRef"))
        .ok_or(PdfDamage::NoReference)?
        .clone();
    let bytes = pdf.decoded(&indirect)?.ok_or(PdfDamage::NoReference)?;
    let numbers = |key: &str| match dict.get(key) {
        Some(Object::Array(items)) => items.iter().map(Object::number).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let widths = numbers("W").filter(|widths| widths.len() >= 3 && widths.iter().all(|width| *width <= 8));
    let widths = widths.ok_or(PdfDamage::NoReference)?;
    let row: usize = widths.iter().sum();
    if row == 0 {
        return Err(PdfDamage::NoReference);
    }
    let sections = numbers("Index").unwrap_or_else(|| vec![0, dict.number("Size").unwrap_or(0)]);
    let numbered = sections.chunks_exact(2).flat_map(|pair| pair[0]..pair[0].saturating_add(pair[1]));
    for (number, row) in numbered.zip(bytes.chunks_exact(row)) {
        let mut rest = row;
        let mut column = |width: usize, usual: usize| {
            let (mine, after) = rest.split_at(width);
            rest = after;
            if width == 0 { usual } else { mine.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)) }
        };
        let (kind, second, third) = (column(widths[0], 1), column(widths[1], 0), column(widths[2], 0));
        let place = match (kind, u32::try_from(second)) {
            (1, _) => Some(ObjectLocation::At(second)),
            (2, Ok(stream)) => Some(ObjectLocation::Within(stream, third)),
            _ => None,
        };
        pdf.places().note(number, place);
    }
    Ok(dict)
}

/// Searches the file for objects and trailers: the last one of each counts.
pub(super) fn search(pdf: &mut Pdf<'_>) -> Result<(), PdfDamage> {
    let bytes = pdf.bytes;
    let found = memmem::find_iter(bytes, b"obj").filter_map(|at| head_before(bytes, at));
    let mut heads: Vec<_> = found.take(MAX_OBJECTS).collect();
    heads.reverse();
    for (number, at) in &heads {
        pdf.places().note(*number as usize, Some(ObjectLocation::At(*at)));
    }
    let trailers: Vec<_> = memmem::find_iter(bytes, b"trailer").collect();
    for at in trailers.iter().rev() {
        let mut parser = Parser::new(bytes, at + b"trailer".len());
        let trailer = parser.object();
        pdf.spend(parser.looked_at(*at), 0)?;
        if let Some(dict) = trailer.as_ref().and_then(Object::dict).filter(|dict| dict.get("Root").is_some())
        {
            pdf.places().add(dict);
        }
    }
    let mut catalog = None;
    for (number, at) in &heads {
        if pdf.places().of(*number) != Some(ObjectLocation::At(*at)) {
            continue;
        }
        let mut parser = Parser::new(bytes, *at);
        let object = parser.head().and_then(|_| parser.object());
        pdf.spend(parser.looked_at(*at), 0)?;
        let Some(dict) = object.as_ref().and_then(Object::dict) else { continue };
        if dict.says("Type", "XRef") {
            pdf.places().add(dict);
        } else if dict.says("Type", "ObjStm") {
            for (index, within) in pdf.numbers_within(*number)?.into_iter().enumerate() {
                pdf.places().note(within as usize, Some(ObjectLocation::Within(*number, index)));
            }
        } else if dict.says("Type", "Catalog") {
            catalog = catalog.or(Some(*number));
        }
    }
    if let Some(catalog) = catalog {
        pdf.places().add(&Dict(vec![(b"Root".to_vec(), Object::Reference(catalog))]));
    }
    Ok(())
}

/// The number and start of the object whose `obj` is at an offset.
fn head_before(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let before = |end: usize, is: fn(u8) -> bool| {
        let start = bytes[..end].iter().rposition(|byte| !is(*byte)).map_or(0, |at| at + 1);
        // Without a limit, the same bytes could be read again and again.
        (start < end && end - start <= 12).then_some(start)
    };
    let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
    let generation = before(before(at, is_space).unwrap_or(at), digit)?;
    let number_end = before(generation, is_space)?;
    let number = before(number_end, digit)?;
    Some((std::str::from_utf8(&bytes[number..number_end]).ok()?.parse().ok()?, number))
}
