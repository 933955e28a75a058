//! A PDF as a file of objects, found by its cross-reference table or, if that is damaged, by searching the whole file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;

use super::filter;
use super::object::{Dict, Object};
use super::parse::{Parser, is_space};
use super::xref::{self, XrefTable};
use super::{PdfDamage, PdfError};

/// The most bytes that all streams of a document may decode to.
const MAX_INFLATED: usize = 192 << 20;
/// The most values of a document that are kept in memory.
const MAX_VALUES: usize = 3_000_000;

/// Where an object is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectLocation {
    /// At this offset.
    At(usize),
    /// In an object stream, at this index.
    Within(u32, usize),
}

/// An object, with the stored bytes of its stream.
#[derive(Debug)]
pub(super) struct IndirectObject {
    pub(super) object: Object,
    pub(super) stream: Option<Range<usize>>,
}

/// A decoded object stream.
struct ObjectStream {
    bytes: Vec<u8>,
    /// Object numbers and offsets.
    index: Vec<(u32, usize)>,
}

/// A document.
pub(super) struct Pdf<'a> {
    pub(super) bytes: &'a [u8],
    places: XrefTable,
    known: HashMap<u32, Rc<IndirectObject>>,
    packed: HashMap<u32, Option<Rc<ObjectStream>>>,
    /// Bytes that its streams may still decode to.
    inflate_budget: usize,
    /// Bytes that may still be parsed: a file can make the same bytes be parsed again and again.
    work: usize,
    values: usize,
    /// Whether an object was not at the offset in the table.
    pub(super) is_damaged: bool,
    /// Whether the objects were found by searching.
    pub(super) is_searched: bool,
}

impl<'a> Pdf<'a> {
    /// Opens a file by its cross-reference table.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, PdfDamage> {
        let mut pdf = Self::empty(bytes);
        xref::read(&mut pdf)?;
        Ok(pdf)
    }

    /// Opens a file by searching for objects.
    pub(super) fn searched(bytes: &'a [u8]) -> Result<Self, PdfDamage> {
        let mut pdf = Self::empty(bytes);
        pdf.is_searched = true;
        xref::search(&mut pdf)?;
        Ok(pdf)
    }

    fn empty(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            places: XrefTable::default(),
            known: HashMap::new(),
            packed: HashMap::new(),
            inflate_budget: MAX_INFLATED,
            work: bytes.len().saturating_mul(6).saturating_add(16 << 20),
            values: 0,
            is_damaged: false,
            is_searched: false,
        }
    }

    pub(super) fn trailer(&self) -> &Dict {
        &self.places.trailer
    }

    pub(super) fn places(&mut self) -> &mut XrefTable {
        &mut self.places
    }

    /// The catalog; an error if the document is encrypted.
    pub(super) fn root(&mut self) -> Result<Dict, PdfError> {
        if self.trailer().get("Encrypt").is_some_and(|value| *value != Object::Null) {
            return Err(PdfError::Encrypted);
        }
        let root = self.trailer().get("Root").cloned().ok_or(PdfDamage::NoRoot)?;
        let root = self.resolve(&root)?;
        root.dict().cloned().ok_or(PdfError::PdfDamage(PdfDamage::NoRoot))
    }

    /// Counts work; an error if it is too much.
    pub(super) fn spend(&mut self, bytes: usize, values: usize) -> Result<(), PdfDamage> {
        self.values += values;
        match self.work.checked_sub(bytes) {
            Some(left) if self.values <= MAX_VALUES => {
                self.work = left;
                Ok(())
            }
            _ => Err(PdfDamage::TooMuch),
        }
    }

    /// Follows references to a value.
    pub(super) fn resolve(&mut self, object: &Object) -> Result<Object, PdfDamage> {
        let mut object = object.clone();
        // A longer chain of references is a loop.
        for _ in 0..8 {
            let Object::Reference(number) = object else {
                // The copy counts: a large value can be copied again and again.
                self.spend(object.weight(), 0)?;
                return Ok(object);
            };
            object = self.get(number)?.object.clone();
        }
        Ok(Object::Null)
    }

    /// A value of a dictionary, with references followed.
    pub(super) fn value(&mut self, dict: &Dict, key: &str) -> Result<Object, PdfDamage> {
        self.spend(dict.0.len(), 0)?;
        match dict.get(key) {
            Some(value) => self.resolve(value),
            None => Ok(Object::Null),
        }
    }

    /// An entry of a dictionary in a dictionary, without copying the rest.
    pub(super) fn entry(&mut self, dict: &Dict, key: &str, name: &[u8]) -> Result<Option<Object>, PdfDamage> {
        self.spend(dict.0.len(), 0)?;
        let mut held: Option<Rc<IndirectObject>> = None;
        for _ in 0..8 {
            let within = match held.as_ref().map_or_else(|| dict.get(key), |held| Some(&held.object)) {
                Some(Object::Dict(within)) => within,
                Some(Object::Reference(number)) => {
                    let number = *number;
                    held = Some(self.get(number)?);
                    continue;
                }
                _ => return Ok(None),
            };
            let found = within.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            self.spend(within.0.len() + found.as_ref().map_or(0, Object::weight), 0)?;
            return Ok(found);
        }
        Ok(None)
    }

    /// An object by its number; null if it does not exist.
    pub(super) fn get(&mut self, number: u32) -> Result<Rc<IndirectObject>, PdfDamage> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Rc::clone(known));
        }
        let found = match self.places.of(number) {
            Some(ObjectLocation::At(at)) => {
                let found = self.at(at)?.filter(|(head, _)| *head == number).map(|(_, found)| found);
                self.is_damaged |= found.is_none();
                found
            }
            Some(ObjectLocation::Within(stream, index)) => self.within(stream, index, number)?,
            None => None,
        };
        let found = Rc::new(found.unwrap_or(IndirectObject { object: Object::Null, stream: None }));
        self.known.insert(number, Rc::clone(&found));
        Ok(found)
    }

    /// The object at an offset, and its number.
    pub(super) fn at(&mut self, at: usize) -> Result<Option<(u32, IndirectObject)>, PdfDamage> {
        let mut parser = Parser::new(self.bytes, at);
        let read = parser.head().and_then(|number| Some((number, parser.object()?)));
        parser.skip_spaces();
        self.spend(parser.looked_at(at), parser.values())?;
        let Some((number, object)) = read else { return Ok(None) };
        let mut stream = None;
        if let Some(dict) = object.dict()
            && parser.takes(b"stream")
        {
            let _ = parser.takes(b"\r\n") || parser.takes(b"\n") || parser.takes(b"\r");
            let start = parser.at;
            let length = self.length(dict)?;
            stream = Some(start..self.end_of_stream(start, length)?);
        }
        Ok(Some((number, IndirectObject { object, stream })))
    }

    /// The stated length of a stream. It may be a reference to a number.
    fn length(&mut self, dict: &Dict) -> Result<Option<usize>, PdfDamage> {
        match dict.get("Length") {
            Some(Object::Reference(number)) => match self.places.of(*number) {
                Some(ObjectLocation::At(at)) => {
                    let mut parser = Parser::new(self.bytes, at);
                    let is_it = parser.head() == Some(*number);
                    let length = parser.number().filter(|_| is_it);
                    self.spend(parser.looked_at(at), 1)?;
                    Ok(length)
                }
                _ => Ok(None),
            },
            value => Ok(value.and_then(Object::number)),
        }
    }

    fn end_of_stream(&mut self, start: usize, length: Option<usize>) -> Result<usize, PdfDamage> {
        if let Some(end) = length.and_then(|length| start.checked_add(length))
            && end <= self.bytes.len()
        {
            let mut parser = Parser::new(self.bytes, end);
            while parser.rest().first().is_some_and(|byte| is_space(*byte)) && parser.at < end + 8 {
                parser.at += 1;
            }
            if parser.rest().starts_with(b"endstream") || parser.rest().starts_with(b"endobj") {
                return Ok(end);
            }
        }
        let rest = &self.bytes[start..];
        // The search counts even if nothing is found: otherwise each stream could make the whole file be searched.
        let mut found = None;
        for word in [b"endstream".as_slice(), b"endobj"] {
            found = memmem::find(rest, word);
            self.spend(found.unwrap_or(rest.len()), 0)?;
            if found.is_some() {
                break;
            }
        }
        let end = start + found.unwrap_or(rest.len());
        let before = &self.bytes[start..end];
        let eol = if before.ends_with(b"\r\n") {
            2
        } else {
            usize::from(before.ends_with(b"\n") || before.ends_with(b"\r"))
        };
        Ok(end - eol)
    }

    /// Decodes a stream; `None` if that is not possible.
    pub(super) fn decoded(&mut self, indirect: &IndirectObject) -> Result<Option<Vec<u8>>, PdfDamage> {
        let (Some(dict), Some(stream)) = (indirect.object.dict(), indirect.stream.clone()) else {
            return Ok(None);
        };
        let mut plain = Dict::default();
        for key in ["Filter", "F", "DecodeParms", "DP"] {
            let value = match self.value(dict, key)? {
                Object::Null => continue,
                Object::Array(items) => {
                    Object::Array(items.iter().map(|item| self.resolve(item)).collect::<Result<Vec<_>, _>>()?)
                }
                value => value,
            };
            plain.0.push((key.as_bytes().to_vec(), value));
        }
        self.spend(stream.len(), 0)?;
        let decoded = filter::decode(&plain, &self.bytes[stream], &mut self.inflate_budget);
        match self.inflate_budget {
            0 => Err(PdfDamage::TooMuch),
            _ => Ok(decoded),
        }
    }

    fn within(
        &mut self,
        stream: u32,
        index: usize,
        number: u32,
    ) -> Result<Option<IndirectObject>, PdfDamage> {
        let Some(packed) = self.packed(stream)? else {
            self.is_damaged = true;
            return Ok(None);
        };
        let is_it = |entry: &&(u32, usize)| entry.0 == number;
        let mut entry = packed.index.get(index).filter(is_it);
        if entry.is_none() {
            self.spend(packed.index.len(), 0)?;
            entry = packed.index.iter().find(is_it);
        }
        let Some((_, at)) = entry else {
            self.is_damaged = true;
            return Ok(None);
        };
        let mut parser = Parser::new(&packed.bytes, *at);
        let object = parser.object();
        self.spend(parser.looked_at(*at), parser.values())?;
        Ok(object.map(|object| IndirectObject { object, stream: None }))
    }

    /// The numbers of the objects in an object stream.
    pub(super) fn numbers_within(&mut self, stream: u32) -> Result<Vec<u32>, PdfDamage> {
        let packed = self.packed(stream)?;
        Ok(packed.map(|packed| packed.index.iter().map(|(number, _)| *number).collect()).unwrap_or_default())
    }

    fn packed(&mut self, stream: u32) -> Result<Option<Rc<ObjectStream>>, PdfDamage> {
        if let Some(known) = self.packed.get(&stream) {
            return Ok(known.clone());
        }
        // A stream that contains itself finds nothing.
        self.packed.insert(stream, None);
        let packed = self.unpack(stream)?.map(Rc::new);
        self.packed.insert(stream, packed.clone());
        Ok(packed)
    }

    fn unpack(&mut self, stream: u32) -> Result<Option<ObjectStream>, PdfDamage> {
        let Some(ObjectLocation::At(at)) = self.places.of(stream) else { return Ok(None) };
        let Some((_, indirect)) = self.at(at)?.filter(|(head, _)| *head == stream) else { return Ok(None) };
        let Some(dict) = indirect.object.dict() else { return Ok(None) };
        let (Some(first), Some(count)) = (dict.number("First"), dict.number("N")) else { return Ok(None) };
        let Some(bytes) = self.decoded(&indirect)? else { return Ok(None) };
        let mut parser = Parser::new(&bytes, 0);
        let mut index = Vec::new();
        let mut seen = HashSet::new();
        while index.len() < count.min(MAX_VALUES) {
            let (Some(number), Some(offset)) = (parser.number(), parser.number()) else { break };
            let Ok(number) = u32::try_from(number) else { break };
            if seen.insert(number) {
                index.push((number, first.saturating_add(offset)));
            }
        }
        self.spend(parser.looked_at(0), index.len())?;
        Ok(Some(ObjectStream { bytes, index }))
    }
}
