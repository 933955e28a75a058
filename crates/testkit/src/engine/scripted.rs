//! A stand-in for a team's engine: it answers as a test says, and keeps what it was asked. For what the engine cannot do as a library,
//! such as servers of a cluster that are away.

use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::api::http::{self, head};

/// A statement as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineRequest {
    /// The statement, wherever it was.
    pub statement: String,
    /// Parameters of the address, decoded.
    pub parameters: Vec<(String, String)>,
    /// The rows of an INSERT, as they were sent.
    pub rows: Vec<u8>,
}

impl EngineRequest {
    /// The value of a parameter of the statement.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let named = self.parameters.iter().find(|(key, _)| key.strip_prefix("param_") == Some(name));
        named.map(|(_, value)| value.as_str())
    }

    fn of(request: http::Request) -> Self {
        let query = request.path.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let mut parameters: Vec<_> = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
        match parameters.iter().position(|(name, _)| name == "query") {
            Some(at) => {
                let statement = parameters.remove(at).1;
                Self { statement, parameters, rows: request.body }
            }
            None => {
                let statement = String::from_utf8_lossy(&request.body).into_owned();
                Self { statement, parameters, rows: Vec::new() }
            }
        }
    }
}

/// The rows of an answer, or the code of a failure.
pub type EngineAnswer = Result<String, u32>;

type Script = Box<dyn FnMut(&EngineRequest) -> EngineAnswer + Send>;

/// The stand-in. It stops when it is dropped.
#[derive(Debug)]
pub struct ScriptedEngine {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    requests: Arc<Mutex<Vec<EngineRequest>>>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedEngine {
    /// Starts on a port of the system's choice; `answer` gives the rows for each statement, one JSON object a line. Panics if it
    /// cannot listen.
    pub fn start(answer: impl FnMut(&EngineRequest) -> EngineAnswer + Send + 'static) -> Self {
        let bound = TcpListener::bind(("127.0.0.1", 0));
        let listener = bound.unwrap_or_else(|error| panic!("127.0.0.1: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let (stopping, requests) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (is_stopping, kept) = (Arc::clone(&stopping), Arc::clone(&requests));
        let mut answer: Script = Box::new(answer);
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_stopping.load(Ordering::SeqCst) {
                    return;
                }
                // Who asked sees that the connection broke.
                let _ = serve(&stream, &mut answer, &kept);
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        Self { address, stopping, requests, thread: Some(thread) }
    }

    /// The address for `--at` and `--to`, with a database of this name.
    pub fn at(&self, database: &str) -> String {
        format!("clickhouse+http://{}/{database}", self.address)
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<EngineRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ScriptedEngine {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // It waits for a connection: here is the last one.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Both ways of a connection.
struct LoopbackStream<'s>(BufReader<&'s TcpStream>);

impl Read for LoopbackStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl io::BufRead for LoopbackStream<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}

impl Write for LoopbackStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}

fn serve(stream: &TcpStream, answer: &mut Script, kept: &Mutex<Vec<EngineRequest>>) -> io::Result<()> {
    let mut both = LoopbackStream(BufReader::new(stream));
    let Some(request) = http::read(&mut both)? else { return Ok(()) };
    let request = EngineRequest::of(request);
    let (status, code, body) = match answer(&request) {
        Ok(rows) => (200, String::new(), rows),
        Err(413) => (413, String::new(), String::new()),
        Err(code) => (500, code.to_string(), format!("Code: {code}. DB::Exception: told to fail")),
    };
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    let length = body.len().to_string();
    let mut headers = vec![("Content-Length", length.as_str()), ("Connection", "close")];
    if !code.is_empty() {
        headers.push(("X-ClickHouse-Exception-Code", &code));
    }
    both.write_all(&[head(status, &headers).as_slice(), body.as_bytes()].concat())?;
    both.flush()
}

/// A part of an address as it was meant.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)).unwrap_or(0) as u8;
        out.push(match byte {
            b'+' => b' ',
            b'%' => digit(bytes.next()) << 4 | digit(bytes.next()),
            other => other,
        });
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_in_the_body_or_in_the_address() {
        let request = |path: &str, body: &str| {
            let (path, body) = (path.to_owned(), body.as_bytes().to_vec());
            EngineRequest::of(http::Request { path, body, ..http::Request::default() })
        };
        let asked = request("/?wait=1&param_name=a%2Bb+c%C3%A9", "SELECT 1");
        assert_eq!((asked.statement.as_str(), asked.parameter("name")), ("SELECT 1", Some("a+b c\u{e9}")));
        let inserted = request("/?query=INSERT+INTO+x", "rows");
        assert_eq!((inserted.statement.as_str(), &inserted.rows[..]), ("INSERT INTO x", &b"rows"[..]));
    }
}
