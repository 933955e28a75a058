//! What happens on the wire, part by part: for faults that no well-meaning server would make.
//!
//! | part | does |
//! |---|---|
//! | `"head"` | begins a stream: status 200, in chunks |
//! | `"message"` | sends all events of the step's message |
//! | `{"events":[A,B]}` | sends the events from A up to B |
//! | `{"bytes":[A,B]}` | sends the bytes of the whole stream from A up to B, in one chunk |
//! | `{"text":"…"}`, `{"hex":"…"}` | sends these bytes in one chunk |
//! | `{"filler":N}` | sends N letters, in chunks |
//! | `{"raw":"…"}` | sends these bytes as they are: a head of one's own, a page of a proxy |
//! | `{"wait_ms":N}` | waits |
//! | `"end"` | ends the stream well; the connection goes on |
//! | `"stall"` | sends nothing more until the other side goes |
//! | `"reset"` | breaks the connection with a reset |
//!
//! After the last part the connection ends, unless `"end"` was there.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;

use annals_json::Value;

use super::http;
use super::script::{ScriptError, shown};

static FILLER: [u8; 64 << 10] = [b'x'; 64 << 10];

/// One action on the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WireAction {
    Head,
    Events(usize, usize),
    Bytes(usize, usize),
    Chunk(Vec<u8>),
    Filler(usize),
    Raw(Vec<u8>),
    Wait(Duration),
    End,
    Stall,
    Reset,
}

/// What happens to the connection afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionFate {
    KeepOpen,
    Close,
    Reset,
}

/// A connection that can be broken.
pub(super) trait Wire: BufRead + Write {
    /// From now on closing it is a reset.
    fn reset_on_close(&self) -> io::Result<()>;
}

impl WireAction {
    pub(super) fn read(script: &str, value: Value<'_>) -> Result<Self, ScriptError> {
        let unknown = || ScriptError::WireAction { name: script.to_owned(), found: shown(value) };
        if let Some(word) = value.text() {
            return match &*word.decode() {
                "head" => Ok(Self::Head),
                "message" => Ok(Self::Events(0, usize::MAX)),
                "end" => Ok(Self::End),
                "stall" => Ok(Self::Stall),
                "reset" => Ok(Self::Reset),
                _ => Err(unknown()),
            };
        }
        let fields = value.fields();
        let first = fields.iter().flat_map(|fields| fields.iter()).next();
        let field = first.ok_or_else(unknown)?;
        let count = || field.value.count().map(|count| count as usize);
        let text = || field.value.text().map(|text| text.to_string());
        let range = || {
            let ends: Vec<usize> =
                field.value.items().filter_map(Value::count).map(|end| end as usize).collect();
            <[usize; 2]>::try_from(ends).ok()
        };
        let part = match &*field.key.decode() {
            "events" => range().map(|[from, to]| Self::Events(from, to)),
            "bytes" => range().map(|[from, to]| Self::Bytes(from, to)),
            "text" => text().map(|text| Self::Chunk(text.into_bytes())),
            "hex" => text().and_then(|text| from_hex(&text)).map(Self::Chunk),
            "filler" => count().map(Self::Filler),
            "raw" => text().map(|text| Self::Raw(text.into_bytes())),
            "wait_ms" => count().map(|millis| Self::Wait(Duration::from_millis(millis as u64))),
            _ => None,
        };
        part.ok_or_else(unknown)
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// Plays the parts, with the events of the step's message at hand.
pub(super) fn play_actions(
    wire: &mut impl Wire,
    parts: &[WireAction],
    events: &[Vec<u8>],
    request_id: &str,
) -> io::Result<ConnectionFate> {
    let mut after = ConnectionFate::Close;
    for part in parts {
        match part {
            WireAction::Head => {
                let head = [
                    ("content-type", "text/event-stream; charset=utf-8"),
                    ("transfer-encoding", "chunked"),
                    ("request-id", request_id),
                ];
                wire.write_all(&http::head(200, &head))?;
            }
            WireAction::Events(from, to) => {
                for event in events.iter().take(*to).skip(*from) {
                    wire.write_all(&http::chunk(event))?;
                }
            }
            WireAction::Bytes(from, to) => {
                let whole = events.concat();
                let to = (*to).min(whole.len());
                // An empty chunk would be the end.
                if let Some(bytes) = whole.get(*from..to).filter(|bytes| !bytes.is_empty()) {
                    wire.write_all(&http::chunk(bytes))?;
                }
            }
            WireAction::Chunk(bytes) => wire.write_all(&http::chunk(bytes))?,
            WireAction::Filler(count) => {
                let mut left = *count;
                while left > 0 {
                    let now = left.min(FILLER.len());
                    wire.write_all(&http::chunk(&FILLER[..now]))?;
                    left -= now;
                }
            }
            WireAction::Raw(bytes) => wire.write_all(bytes)?,
            WireAction::Wait(pause) => thread::sleep(*pause),
            WireAction::End => {
                wire.write_all(&http::chunk(&[]))?;
                after = ConnectionFate::KeepOpen;
            }
            WireAction::Stall => drop(wire.fill_buf()?),
            WireAction::Reset => {
                wire.reset_on_close()?;
                return Ok(ConnectionFate::Reset);
            }
        }
        wire.flush()?;
    }
    Ok(after)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    /// Takes what is written, and has nothing to read.
    struct BufferWire(Vec<u8>, BufReader<io::Empty>);

    impl Read for BufferWire {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1.read(buffer)
        }
    }

    impl BufRead for BufferWire {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            self.1.fill_buf()
        }

        fn consume(&mut self, amount: usize) {
            self.1.consume(amount);
        }
    }

    impl Write for BufferWire {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Wire for BufferWire {
        fn reset_on_close(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn play(parts: &str) -> (String, ConnectionFate) {
        let list = Value::parse(parts.as_bytes()).unwrap();
        let parts: Vec<_> = list.items().map(|part| WireAction::read("s", part).unwrap()).collect();
        let mut paper = BufferWire(Vec::new(), BufReader::new(io::empty()));
        let events = [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()];
        let after = play_actions(&mut paper, &parts, &events, "r").unwrap();
        (String::from_utf8_lossy(&paper.0).into_owned(), after)
    }

    #[test]
    fn parts_are_played_in_order() {
        assert_eq!(play(r#"["message","end"]"#).1, ConnectionFate::KeepOpen);
        assert_eq!(play(r#"[{"events":[1,2]}]"#), ("3\r\ntwo\r\n".into(), ConnectionFate::Close));
        assert_eq!(
            play(r#"[{"bytes":[2,5]},{"bytes":[11,99]},"reset",{"raw":"no"}]"#),
            ("3\r\netw\r\n".into(), ConnectionFate::Reset)
        );
        assert_eq!(
            play(r#"[{"text":"é"},{"hex":"4142"},{"raw":"x\r\n"},{"wait_ms":0},"stall"]"#).0,
            "2\r\né\r\n2\r\nAB\r\nx\r\n"
        );
        assert_eq!(play(r#"[{"filler":3}]"#).0, "3\r\nxxx\r\n");
        assert!(play(r#"["head"]"#).0.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream"));
    }
}
