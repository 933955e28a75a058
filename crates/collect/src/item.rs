//! What is delivered: lines and files, each under a name that never changes, in numbered batches.

use std::convert::Infallible;
use std::io::{self, Write};

use annals_json::{ObjectWriter, Value, write_string};

use crate::state::integer;

/// How much of a text is written at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// What an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemForm {
    /// One line of a file that grows.
    Line,
    /// All of a file that is replaced as a whole.
    File,
}

impl ItemForm {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::File => "file",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Line, Self::File].into_iter().find(|form| form.name() == name)
    }
}

/// One line, or one file. Machine, file, generation and offset together name it: what comes twice under one name is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The file, relative to the config dir, with `/` between its parts.
    pub file: String,
    /// Changes whenever what was delivered of the file was rewritten or cut.
    pub generation: i64,
    /// Its first byte in the file.
    pub offset: u64,
    /// How many bytes of the file it covers, line break included; redaction does not change this.
    pub length: u64,
    /// Which line of the file, counted from 1; 0 for a whole file.
    pub number: u64,
    /// What it holds.
    pub form: ItemForm,
    /// The text after redaction, without its line break; `None` if secrets could not be removed.
    pub text: Option<String>,
}

impl Item {
    /// Reads one that [`Batch::lines`] has written.
    pub(crate) fn read(value: Value<'_>) -> Option<Self> {
        let count = |key: &str| value.get(key).and_then(Value::count);
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
        let held = value.get("text")?;
        Some(Self {
            file: text("file")?,
            generation: integer(value.get("generation")?)?,
            offset: count("offset")?,
            length: count("length")?,
            number: count("line")?,
            form: ItemForm::of(&text("form")?)?,
            text: if held.is_null() { None } else { Some(held.text()?.decode().into_owned()) },
        })
    }
}

/// What is acknowledged as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The machine that it comes from: a random id, kept in our data folder.
    pub machine: String,
    /// Counts up for each sink; a batch that is tried again keeps it.
    pub sequence: u64,
    /// In the order of their files.
    pub items: Vec<Item>,
}

impl Batch {
    /// One JSON object an item, without line breaks.
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        self.items.iter().map(|item| {
            let mut line = Vec::with_capacity(item.text.as_ref().map_or(0, String::len) + 256);
            self.append_item(item, &mut line);
            line
        })
    }

    /// All of them, as one array.
    pub fn json(&self) -> Vec<u8> {
        let mut out = vec![b'['];
        for (at, item) in self.items.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"" } else { b"," });
            self.append_item(item, &mut out);
        }
        out.push(b']');
        out
    }

    /// All of them, each with its line break.
    pub fn ndjson(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for item in &self.items {
            self.append_item(item, &mut out);
            out.push(b'\n');
        }
        out
    }

    /// Writes all of them, each with its line break; a long text is never in memory twice.
    pub fn write_ndjson(&self, out: &mut impl Write) -> io::Result<()> {
        for item in &self.items {
            self.write_item(item, |piece| out.write_all(piece))?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn append_item(&self, item: &Item, out: &mut Vec<u8>) {
        let written: Result<(), Infallible> = self.write_item(item, |piece| {
            out.extend_from_slice(piece);
            Ok(())
        });
        let Ok(()) = written;
    }

    /// Calls `each` with the pieces of an item's JSON.
    fn write_item<E>(&self, item: &Item, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut head = Vec::new();
        let mut object = ObjectWriter::begin(&mut head);
        object.string("machine", &self.machine).number("batch", self.sequence);
        object.string("file", &item.file).number("generation", item.generation);
        object.number("offset", item.offset).number("length", item.length);
        object.number("line", item.number).string("form", item.form.name());
        object.key("text");
        each(&head)?;
        match &item.text {
            Some(text) => write_pieces(text, &mut each)?,
            None => each(b"null")?,
        }
        each(b"}")
    }
}

/// Calls `each` with the pieces of a JSON string.
fn write_pieces<E>(text: &str, each: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    each(b"\"")?;
    let (mut rest, mut piece) = (text, Vec::new());
    while !rest.is_empty() {
        let (now, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        piece.clear();
        write_string(&mut piece, now);
        each(&piece[1..piece.len() - 1])?;
        rest = after;
    }
    each(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_one_line_whatever_it_holds() {
        let item = |text: Option<&str>| Item {
            file: "history.jsonl".to_owned(),
            generation: 7,
            offset: 10,
            length: 5,
            number: 2,
            form: ItemForm::Line,
            text: text.map(str::to_owned),
        };
        let items = vec![item(Some("{\"a\":\"\\ud800\"}\r\n")), item(None)];
        let batch = Batch { machine: "m".to_owned(), sequence: 3, items };
        let said = String::from_utf8(batch.ndjson()).unwrap();
        let head = r#"{"machine":"m","batch":3,"file":"history.jsonl","generation":7,"offset":10,"length":5,"line":2,"form":"line","text":"#;
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines[0], format!(r#"{head}"{{\"a\":\"\\ud800\"}}\r\n"}}"#));
        assert_eq!(lines[1], format!("{head}null}}"));
        let back: Vec<_> =
            lines.iter().map(|line| Item::read(Value::parse(line.as_bytes()).unwrap()).unwrap()).collect();
        assert_eq!(back, batch.items);
        assert_eq!(String::from_utf8(batch.json()).unwrap(), format!("[{}]", lines.join(",")));
        let mut written = Vec::new();
        batch.write_ndjson(&mut written).unwrap();
        assert_eq!(written, batch.ndjson());
        let long = "é\n\"x".repeat(PIECE_BYTES);
        let whole = Batch { items: vec![item(Some(&long))], ..batch.clone() }.ndjson();
        let read = Item::read(Value::parse(whole.trim_ascii_end()).unwrap()).unwrap();
        assert_eq!(read.text.as_deref(), Some(long.as_str()));
        assert_eq!(Batch { items: Vec::new(), ..batch }.json(), b"[]");
    }
}
