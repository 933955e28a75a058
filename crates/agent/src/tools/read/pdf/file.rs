//! A PDF as a file of objects: found by its cross-reference or, where that is damaged, by looking at all of it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;

use super::filter::{self, Room};
use super::object::{Dict, Object};
use super::parse::{Parser, is_space};
use super::xref::{self, Places};
use super::{PdfError, Wrong};

/// What all streams of a document may become together.
const MOST_INFLATED: usize = 192 << 20;
/// How many values of a document are kept in memory.
const MOST_VALUES: usize = 3_000_000;

/// Where an object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At this byte.
    At(usize),
    /// In a stream of objects, as which of them.
    Within(u32, usize),
}

/// An object, with the stored bytes of its stream.
#[derive(Debug)]
pub(super) struct Indirect {
    pub(super) object: Object,
    pub(super) stream: Option<Range<usize>>,
}

/// A stream of objects.
struct Packed {
    bytes: Vec<u8>,
    /// Numbers, and where they begin.
    index: Vec<(u32, usize)>,
}

/// A document.
pub(super) struct Pdf<'a> {
    pub(super) bytes: &'a [u8],
    places: Places,
    known: HashMap<u32, Rc<Indirect>>,
    packed: HashMap<u32, Option<Rc<Packed>>>,
    room: Room,
    /// Bytes that may still be parsed: a file can have the same ones parsed over and over.
    work: usize,
    values: usize,
    /// Whether something was not where it should be.
    pub(super) is_astray: bool,
    /// Whether its objects were searched for.
    pub(super) is_searched: bool,
}

impl<'a> Pdf<'a> {
    /// By its cross-reference.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let mut pdf = Self::empty(bytes);
        xref::read(&mut pdf)?;
        Ok(pdf)
    }

    /// By whatever looks like an object.
    pub(super) fn searched(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let mut pdf = Self::empty(bytes);
        pdf.is_searched = true;
        xref::search(&mut pdf)?;
        Ok(pdf)
    }

    fn empty(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            places: Places::default(),
            known: HashMap::new(),
            packed: HashMap::new(),
            room: Room(MOST_INFLATED),
            work: bytes.len().saturating_mul(6).saturating_add(16 << 20),
            values: 0,
            is_astray: false,
            is_searched: false,
        }
    }

    pub(super) fn trailer(&self) -> &Dict {
        &self.places.trailer
    }

    pub(super) fn places(&mut self) -> &mut Places {
        &mut self.places
    }

    /// The document's own object; what is encrypted is not looked into.
    pub(super) fn root(&mut self) -> Result<Dict, PdfError> {
        if self.trailer().get("Encrypt").is_some_and(|value| *value != Object::Null) {
            return Err(PdfError::Encrypted);
        }
        let root = self.trailer().get("Root").cloned().ok_or(Wrong::NoRoot)?;
        let root = self.resolve(&root)?;
        root.dict().cloned().ok_or(PdfError::Wrong(Wrong::NoRoot))
    }

    /// Counts work that was done; an error where it is too much.
    pub(super) fn spend(&mut self, bytes: usize, values: usize) -> Result<(), Wrong> {
        self.values += values;
        match self.work.checked_sub(bytes) {
            Some(left) if self.values <= MOST_VALUES => {
                self.work = left;
                Ok(())
            }
            _ => Err(Wrong::TooMuch),
        }
    }

    /// The value that a reference leads to, or the value itself.
    pub(super) fn resolve(&mut self, object: &Object) -> Result<Object, Wrong> {
        let mut object = object.clone();
        // Who refers to a reference more than a few times goes round.
        for _ in 0..8 {
            let Object::Reference(number) = object else {
                // It is a copy, and one of anything large can be asked for again and again.
                self.spend(object.weight(), 0)?;
                return Ok(object);
            };
            object = self.get(number)?.object.clone();
        }
        Ok(Object::Null)
    }

    /// A value of a dictionary, references followed.
    pub(super) fn value(&mut self, dict: &Dict, key: &str) -> Result<Object, Wrong> {
        self.spend(dict.0.len(), 0)?;
        match dict.get(key) {
            Some(value) => self.resolve(value),
            None => Ok(Object::Null),
        }
    }

    /// What a dictionary in a dictionary holds by a name; nothing else of it is copied.
    pub(super) fn entry(&mut self, dict: &Dict, key: &str, name: &[u8]) -> Result<Option<Object>, Wrong> {
        self.spend(dict.0.len(), 0)?;
        let mut held: Option<Rc<Indirect>> = None;
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

    /// An object by its number; one that is not there is null.
    pub(super) fn get(&mut self, number: u32) -> Result<Rc<Indirect>, Wrong> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Rc::clone(known));
        }
        let found = match self.places.of(number) {
            Some(Place::At(at)) => {
                let found = self.at(at)?.filter(|(head, _)| *head == number).map(|(_, found)| found);
                self.is_astray |= found.is_none();
                found
            }
            Some(Place::Within(stream, index)) => self.within(stream, index, number)?,
            None => None,
        };
        let found = Rc::new(found.unwrap_or(Indirect { object: Object::Null, stream: None }));
        self.known.insert(number, Rc::clone(&found));
        Ok(found)
    }

    /// The object that begins at a byte, and its number.
    pub(super) fn at(&mut self, at: usize) -> Result<Option<(u32, Indirect)>, Wrong> {
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
        Ok(Some((number, Indirect { object, stream })))
    }

    /// How long a stream says that it is. The number may stand in an object of its own, which is not taken further.
    fn length(&mut self, dict: &Dict) -> Result<Option<usize>, Wrong> {
        match dict.get("Length") {
            Some(Object::Reference(number)) => match self.places.of(*number) {
                Some(Place::At(at)) => {
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

    fn end_of_stream(&mut self, start: usize, length: Option<usize>) -> Result<usize, Wrong> {
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
        // What is searched is paid for, also where nothing is found: else each stream could have all of the file searched.
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

    /// What a stream is meant to say; none where it cannot be decoded.
    pub(super) fn decoded(&mut self, indirect: &Indirect) -> Result<Option<Vec<u8>>, Wrong> {
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
        let decoded = filter::decode(&plain, &self.bytes[stream], &mut self.room);
        match self.room.0 {
            0 => Err(Wrong::TooMuch),
            _ => Ok(decoded),
        }
    }

    fn within(&mut self, stream: u32, index: usize, number: u32) -> Result<Option<Indirect>, Wrong> {
        let Some(packed) = self.packed(stream)? else {
            self.is_astray = true;
            return Ok(None);
        };
        let is_it = |entry: &&(u32, usize)| entry.0 == number;
        let mut entry = packed.index.get(index).filter(is_it);
        if entry.is_none() {
            self.spend(packed.index.len(), 0)?;
            entry = packed.index.iter().find(is_it);
        }
        let Some((_, at)) = entry else {
            self.is_astray = true;
            return Ok(None);
        };
        let mut parser = Parser::new(&packed.bytes, *at);
        let object = parser.object();
        self.spend(parser.looked_at(*at), parser.values())?;
        Ok(object.map(|object| Indirect { object, stream: None }))
    }

    /// The numbers of the objects in a stream of objects, if it is one.
    pub(super) fn numbers_within(&mut self, stream: u32) -> Result<Vec<u32>, Wrong> {
        let packed = self.packed(stream)?;
        Ok(packed.map(|packed| packed.index.iter().map(|(number, _)| *number).collect()).unwrap_or_default())
    }

    fn packed(&mut self, stream: u32) -> Result<Option<Rc<Packed>>, Wrong> {
        if let Some(known) = self.packed.get(&stream) {
            return Ok(known.clone());
        }
        // A stream that stands in itself finds nothing there.
        self.packed.insert(stream, None);
        let packed = self.unpack(stream)?.map(Rc::new);
        self.packed.insert(stream, packed.clone());
        Ok(packed)
    }

    fn unpack(&mut self, stream: u32) -> Result<Option<Packed>, Wrong> {
        let Some(Place::At(at)) = self.places.of(stream) else { return Ok(None) };
        let Some((_, indirect)) = self.at(at)?.filter(|(head, _)| *head == stream) else { return Ok(None) };
        let Some(dict) = indirect.object.dict() else { return Ok(None) };
        let (Some(first), Some(count)) = (dict.number("First"), dict.number("N")) else { return Ok(None) };
        let Some(bytes) = self.decoded(&indirect)? else { return Ok(None) };
        let mut parser = Parser::new(&bytes, 0);
        let mut index = Vec::new();
        let mut seen = HashSet::new();
        while index.len() < count.min(MOST_VALUES) {
            let (Some(number), Some(offset)) = (parser.number(), parser.number()) else { break };
            let Ok(number) = u32::try_from(number) else { break };
            if seen.insert(number) {
                index.push((number, first.saturating_add(offset)));
            }
        }
        self.spend(parser.looked_at(0), index.len())?;
        Ok(Some(Packed { bytes, index }))
    }
}
