//! Server-sent events: bytes in, events out, wherever the bytes are split. It knows nothing of messages.
//!
//! Written by hand because a byte order mark, an odd line end or a split inside a character must not lose a stream. What the
//! format allows is accepted; anything else is an error with its offset, never a panic, after the events before it have been
//! returned.

/// A server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEvent {
    /// The `event` field, or empty.
    pub name: String,
    /// The `data` lines, joined by line feeds. Valid UTF-8.
    pub data: String,
}

/// Why a stream cannot be read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// A line, or the data of one event, is too long.
    #[error("an event at byte {at} of the stream is longer than {limit} bytes")]
    TooLong {
        /// The offset of its last line.
        at: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A field is not valid UTF-8.
    #[error("the line at byte {at} of the stream is not UTF-8")]
    NotText {
        /// The offset of the line.
        at: u64,
    },
}

/// More than the API sends in one event, and little enough to hold in memory.
const DEFAULT_LIMIT: usize = 64 << 20;
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Decodes a stream that comes in chunks of any size.
///
/// As the format demands, an event without an empty line after it is not returned.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The current line, as far as it has come.
    line: Vec<u8>,
    /// Its offset.
    line_at: u64,
    /// The previous line ended with a carriage return: a line feed that follows belongs to it.
    after_return: bool,
    is_first_line: bool,
    name: String,
    data: Option<String>,
    fault: Option<SseError>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl Decoder {
    /// Creates a decoder that rejects events of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            line_at: 0,
            after_return: false,
            is_first_line: true,
            name: String::new(),
            data: None,
            fault: None,
        }
    }

    /// Feeds the next chunk and appends the events that it completes. After an error there are no more events.
    pub fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<ServerEvent>) -> Result<(), SseError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                self.line_at += 1;
                bytes = &bytes[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', bytes);
            self.line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            let taken = self.line.len() + self.data.as_ref().map_or(0, String::len);
            if taken > self.limit {
                return self.fail(SseError::TooLong { at: self.line_at, limit: self.limit });
            }
            let Some(end) = end else { break };
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(events)?;
        }
        Ok(())
    }

    fn fail(&mut self, fault: SseError) -> Result<(), SseError> {
        self.fault = Some(fault);
        self.line = Vec::new();
        Err(fault)
    }

    fn end_line(&mut self, events: &mut Vec<ServerEvent>) -> Result<(), SseError> {
        let mut line = std::mem::take(&mut self.line);
        let length = line.len() as u64 + 1;
        let has_mark = std::mem::take(&mut self.is_first_line) && line.starts_with(MARK);
        let understood = self.take_line(if has_mark { &line[MARK.len()..] } else { &line }, events);
        if understood.is_err() {
            return self.fail(SseError::NotText { at: self.line_at });
        }
        self.line_at += length;
        // Reuse the buffer: lines are of similar length.
        line.clear();
        self.line = line;
        Ok(())
    }

    fn take_line(&mut self, line: &[u8], events: &mut Vec<ServerEvent>) -> Result<(), std::str::Utf8Error> {
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            events.extend(self.data.take().map(|data| ServerEvent { name, data }));
            return Ok(());
        }
        let colon = memchr::memchr(b':', line);
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.name = std::str::from_utf8(value)?.to_owned(),
            b"data" => {
                let value = std::str::from_utf8(value)?;
                match &mut self.data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => self.data = Some(value.to_owned()),
                }
            }
            // Comments, ids, retry times and unknown fields are ignored.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    type Read = (Vec<(String, String)>, Option<SseError>);

    fn read_pieces<'p>(limit: usize, pieces: impl IntoIterator<Item = &'p [u8]>) -> Read {
        let mut decoder = Decoder::with_limit(limit);
        let mut events = Vec::new();
        let fault = pieces.into_iter().find_map(|piece| decoder.feed(piece, &mut events).err());
        (events.into_iter().map(|event| (event.name, event.data)).collect(), fault)
    }

    fn read(bytes: &[u8]) -> Read {
        read_pieces(1000, [bytes])
    }

    fn check(bytes: &[u8], expected: &[(&str, &str)]) {
        let expected: Vec<_> =
            expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
        let shown = String::from_utf8_lossy(bytes);
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(read_pieces(1000, [head, tail]), (expected.clone(), None), "{shown:?} cut at {at}");
        }
        assert_eq!(read_pieces(1000, bytes.chunks(1)), (expected, None), "{shown:?} byte by byte");
    }

    #[test]
    fn every_line_end_and_every_cut() {
        check("event: a\ndata: é😀\n\ndata: y\n\n".as_bytes(), &[("a", "é😀"), ("", "y")]);
        check("event: a\r\ndata: é😀\r\n\r\ndata: y\r\n\r\n".as_bytes(), &[("a", "é😀"), ("", "y")]);
        check("event: a\rdata: é😀\r\rdata: y\r\r".as_bytes(), &[("a", "é😀"), ("", "y")]);
        check(b"data: a\r\n\ndata: b\n\r\n\r", &[("", "a"), ("", "b")]);
    }

    #[test]
    fn what_the_format_allows() {
        check(b"\xef\xbb\xbfdata: x\n\n\xef\xbb\xbfdata: y\n\n", &[("", "x")]);
        check(b"\xef\xbb\xbf\n\ndata: x\n\n", &[("", "x")]);
        check(b": comment\n:\ndata: x\n:more\n\n", &[("", "x")]);
        check(b"data: one\ndata:two\ndata:  three\ndata\n\n", &[("", "one\ntwo\n three\n")]);
        check(b"id: 7\nretry: 9\nnew: thing\ndata: x\nDATA: y\n data: z\n\n", &[("", "x")]);
        check(b"event: a\nevent: b\ndata: x: y\n\n", &[("b", "x: y")]);
        check(b"event: lost\n\ndata: x\n\n\n\n", &[("", "x")]);
        check(b"data\n\n", &[("", "")]);
        check(b"data: a\0b\n\n", &[("", "a\0b")]);
        check(b"data: x\n\ndata: unfinished\n", &[("", "x")]);
        check(b"", &[]);
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        let x = vec![(String::new(), "x".to_owned())];
        let bytes = b"data: x\n\ndata: \xff\n\ndata: y\n\n";
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            let told = read_pieces(1000, [head, tail]);
            assert_eq!(told, (x.clone(), Some(SseError::NotText { at: 9 })), "cut at {at}");
        }
        assert_eq!(read(b"\r\nevent: \xc3\r\n"), (vec![], Some(SseError::NotText { at: 2 })));
        assert_eq!(read(b": \xff\ndata: x\n\n"), (x, None), "nobody reads a comment");
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        assert!(decoder.feed(b"data: \xff\n", &mut events).is_err());
        assert!(decoder.feed(b"\n\ndata: x\n\n", &mut events).is_err() && events.is_empty());
    }

    #[test]
    fn what_is_too_long_is_refused_and_ten_megabytes_are_not() {
        let fits = [b"data: ".as_slice(), &[b'x'; 94], b"\n\n"].concat();
        assert_eq!(read_pieces(100, [fits.as_slice()]).1, None);
        let line = [b"\ndata: ".as_slice(), &[b'x'; 95]].concat();
        assert_eq!(read_pieces(100, line.chunks(7)).1, Some(SseError::TooLong { at: 1, limit: 100 }));
        let lines = b"data: 0123456789\n".repeat(10);
        assert_eq!(read_pieces(100, [lines.as_slice()]).1, Some(SseError::TooLong { at: 136, limit: 100 }));
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        let big = [b"data: ".as_slice(), &vec![b'x'; 10 << 20], b"\n\n"].concat();
        for piece in big.chunks(16 << 10) {
            decoder.feed(piece, &mut events).unwrap();
        }
        assert_eq!(events[0].data.len(), 10 << 20);
    }

    /// Bytes of which streams are made, and some of which they are not.
    fn streams() -> impl Strategy<Value = Vec<u8>> {
        let words: [&[u8]; 16] = [
            b"data: ",
            b"data",
            b"event: ",
            b"event:",
            b":",
            b" ",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b"x",
            "é😀".as_bytes(),
            MARK,
            b"\xff",
            b"\0",
            b"{\"a\":1}",
        ];
        vec(proptest::sample::select(words.to_vec()), 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_events(bytes in streams(), sizes in vec(1..9_usize, 1..60), limit in 5..60_usize) {
            let mut pieces: Vec<&[u8]> = Vec::new();
            let mut rest = bytes.as_slice();
            for size in sizes.iter().cycle() {
                if rest.is_empty() { break; }
                let (piece, more) = rest.split_at((*size).min(rest.len()));
                pieces.push(piece);
                rest = more;
            }
            prop_assert_eq!(read_pieces(limit, pieces), read_pieces(limit, [bytes.as_slice()]));
            prop_assert_eq!(read_pieces(limit, bytes.chunks(1)), read_pieces(limit, [bytes.as_slice()]));
        }
    }
}
