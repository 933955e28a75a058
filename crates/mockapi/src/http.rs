//! As much of HTTP/1.1 as the clients of the API speak: requests with a length or in chunks, answers whole or in chunks,
//! many on one connection. It knows nothing of messages.

use std::io::{self, BufRead, ErrorKind, Read, Write};

/// A request as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `POST` and the like.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names and values, as they came.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

impl Request {
    /// A header's value; names are compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// Whether the other side wants no further answer on this connection.
    pub fn is_last(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads one request; nothing where the connection ended before it began.
pub fn read(stream: &mut (impl BufRead + Write)) -> io::Result<Option<Request>> {
    let Some(first) = read_line(stream)? else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err(bad("no path")) };
    let mut request = Request { method: method.to_owned(), path: path.to_owned(), ..Request::default() };
    loop {
        let line = read_line(stream)?.ok_or(ErrorKind::UnexpectedEof)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header without a colon"))?;
        request.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    if request.header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        stream.flush()?;
    }
    request.body = match (request.header("transfer-encoding"), request.header("content-length")) {
        (Some(_), _) => read_chunks(stream)?,
        (None, Some(length)) => {
            let length = length.parse().map_err(|_| bad("a length that is no number"))?;
            read_exactly(stream, length)?
        }
        (None, None) => Vec::new(),
    };
    Ok(Some(request))
}

/// A line without its end; nothing where the connection ended before it did.
fn read_line(stream: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    stream.read_until(b'\n', &mut line)?;
    let whole = line.ends_with(b"\n");
    Ok(whole.then(|| String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()))
}

fn read_chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream)?.ok_or(ErrorKind::UnexpectedEof)?;
        let digits = line.split(';').next().unwrap_or("").trim();
        let length = u64::from_str_radix(digits, 16).map_err(|_| bad("a chunk without a length"))?;
        body.extend(read_exactly(stream, length)?);
        read_line(stream)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn read_exactly(stream: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

fn bad(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// The first lines of an answer, the empty one included.
pub fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str("\r\n");
    out.into_bytes()
}

/// One chunk of an answer in chunks. An empty one ends the answer.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        // It is not read.
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn request(text: &str) -> Request {
        read(&mut Cursor::new(text.as_bytes().to_vec())).unwrap().unwrap()
    }

    #[test]
    fn bodies_come_with_a_length_or_in_chunks() {
        let whole =
            request("POST /v1/x?a=b HTTP/1.1\r\nContent-Length: 5\r\nX-Api-Key: k: 1\r\n\r\nhellorest");
        assert_eq!((whole.method.as_str(), whole.path.as_str()), ("POST", "/v1/x?a=b"));
        assert_eq!((whole.body.as_slice(), whole.header("x-api-key")), (&b"hello"[..], Some("k: 1")));
        let chunks =
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";
        assert_eq!(request(chunks).body, b"hello");
        assert_eq!(request("HEAD / HTTP/1.1\r\n\r\n").body, b"");
        assert!(request("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").is_last());
    }

    #[test]
    fn what_is_cut_off_is_no_request() {
        let read = |text: &str| super::read(&mut Cursor::new(text.as_bytes().to_vec()));
        assert!(read("").unwrap().is_none());
        assert!(read("POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nhello").is_err());
        assert!(read("POST / HTTP/1.1\r\nnonsense\r\n\r\n").is_err());
        assert!(read("POST / HTTP/1.1\r\naccept: x").is_err(), "cut off inside the headers");
    }

    #[test]
    fn answers_are_written_as_they_are_read() {
        assert_eq!(head(200, &[("a", "b")]), b"HTTP/1.1 200 OK\r\na: b\r\n\r\n");
        assert_eq!(chunk(b"0123456789abcdef\n"), b"11\r\n0123456789abcdef\n\r\n");
        assert_eq!(chunk(b""), b"0\r\n\r\n");
    }
}
