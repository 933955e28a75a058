//! The server: a listener on loopback, a thread for each connection, and an end to all of them when its owner goes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, mem};

use super::answer::{PlayProgress, Reply, StreamEnd, answer, request_id};
use super::http::{self, Request};
use super::platform::owner_only;
use super::play::{self, ConnectionFate};
use super::record::RecordedRequest;
use super::script::Script;

/// Where the server listens and what it leaves behind.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
    /// A folder that gets `NNN.json` for each request.
    pub log: Option<PathBuf>,
    /// A file that gets a line for each request.
    pub record: Option<PathBuf>,
}

/// Why the server does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The port cannot be bound.
    #[error("127.0.0.1:{port}: {error}")]
    Listen { port: u16, error: io::Error },
    /// Requests cannot be recorded there.
    #[error("{}: {error}", path.display())]
    Record {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
}

/// How much of the script was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// How many requests there were.
    pub requests: usize,
    /// How many of them broke a rule.
    pub invalid: usize,
    /// How many are being answered.
    pub open: usize,
    /// The steps that were not played yet: the script's name, and the number of the step, from 1.
    pub unplayed: Vec<(String, usize)>,
    /// Why requests could not be recorded.
    pub unrecorded: Option<String>,
}

/// The Messages API, played from a script on loopback, and strict about what it is sent.
///
/// It stops when it is dropped: it shuts open connections and waits for every thread.
#[derive(Debug)]
pub struct ScriptedApi {
    address: SocketAddr,
    shared: Arc<ServerShared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct ServerShared {
    script: Script,
    log: Option<PathBuf>,
    record: Option<(PathBuf, File)>,
    stopping: AtomicBool,
    state: Mutex<ServerState>,
}

#[derive(Debug, Default)]
struct ServerState {
    requests: Vec<RecordedRequest>,
    played: PlayProgress,
    open: usize,
    unrecorded: Option<String>,
    /// Weak, so that a connection that is to be reset is really gone with its thread.
    connections: Vec<Weak<TcpStream>>,
    threads: Vec<JoinHandle<()>>,
}

impl ScriptedApi {
    /// Starts on a port of the system's choice.
    pub fn start(script: Script) -> Result<Self, StartError> {
        Self::start_with(script, ServerOptions::default())
    }

    /// Starts as the settings say.
    pub fn start_with(script: Script, settings: ServerOptions) -> Result<Self, StartError> {
        let port = settings.port;
        let unwritable = |path: &Path, error| StartError::Record { path: path.to_path_buf(), error };
        if let Some(folder) = &settings.log {
            fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        }
        let record = match settings.record {
            Some(path) => {
                let opened = private().append(true).create(true).open(&path);
                let file = opened.map_err(|error| unwritable(&path, error))?;
                Some((path, file))
            }
            None => None,
        };
        let bound = TcpListener::bind(("127.0.0.1", port));
        let listener = bound.map_err(|error| StartError::Listen { port, error })?;
        let address = listener.local_addr().map_err(|error| StartError::Listen { port, error })?;
        let shared = Arc::new(ServerShared {
            script,
            log: settings.log,
            record,
            stopping: AtomicBool::new(false),
            state: Mutex::default(),
        });
        let theirs = Arc::clone(&shared);
        let acceptor = thread::spawn(move || accept(&listener, &theirs));
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// What `ANTHROPIC_BASE_URL` must be.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections there were so far.
    pub fn connections(&self) -> usize {
        self.shared.state().connections.len()
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.state().requests.clone()
    }

    /// How much of the script was played.
    pub fn status(&self) -> ServerStatus {
        let state = self.shared.state();
        let unplayed =
            self.shared.script.places().filter(|(name, number)| !state.played.is_over(name, *number));
        ServerStatus {
            requests: state.requests.len(),
            invalid: state.requests.iter().filter(|request| !request.violations.is_empty()).count(),
            open: state.open,
            unplayed: unplayed.map(|(name, number)| (name.to_owned(), number + 1)).collect(),
            unrecorded: state.unrecorded.clone(),
        }
    }
}

impl Drop for ScriptedApi {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // The acceptor waits for a connection: here is the last one.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        let (connections, threads) = {
            let mut state = self.shared.state();
            (mem::take(&mut state.connections), mem::take(&mut state.threads))
        };
        for connection in connections.iter().filter_map(Weak::upgrade) {
            // It may have ended by itself.
            let _ = connection.shutdown(Shutdown::Both);
        }
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl ServerShared {
    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request and remembers it; the number of the request comes with the answer.
    fn take(&self, request: Request) -> (Reply, usize) {
        let mut state = self.state();
        let number = state.requests.len();
        let (reply, violations) = answer(&request, number, &self.script, &mut state.played);
        let Request { method, path, headers, body } = request;
        let captured = RecordedRequest { method, path, headers, body, violations, status: reply.status() };
        if let Err(fault) = self.note(number, &captured) {
            state.unrecorded.get_or_insert(fault);
        }
        state.requests.push(captured);
        state.open += 1;
        (reply, number)
    }

    /// Writes a request to the log and the record.
    fn note(&self, number: usize, captured: &RecordedRequest) -> Result<(), String> {
        if let Some(folder) = &self.log {
            let file = folder.join(format!("{number:03}.json"));
            let opened = private().write(true).create(true).truncate(true).open(&file);
            let written = opened.and_then(|mut open| open.write_all(&captured.to_json()));
            written.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        if let Some((path, file)) = &self.record {
            let line = [captured.to_json().as_slice(), b"\n"].concat();
            (&*file).write_all(&line).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    fn close(&self) {
        let mut state = self.state();
        state.open = state.open.saturating_sub(1);
    }
}

/// Opens files that only their owner may read: requests hold whole conversations.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    owner_only(&mut options);
    options
}

fn accept(listener: &TcpListener, shared: &Arc<ServerShared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let stream = Arc::new(stream);
        let ours = Arc::downgrade(&stream);
        let theirs = Arc::clone(shared);
        // A client may go away in the middle.
        let thread = thread::spawn(move || drop(serve(stream, &theirs)));
        let mut state = shared.state();
        state.connections.push(ours);
        state.threads.push(thread);
    }
}

/// How much of an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerExtent {
    Head,
    Whole,
}

/// A connection, buffered for reading.
struct Connection {
    reader: BufReader<ReadHalf>,
    writer: Arc<TcpStream>,
}

/// The reading end.
struct ReadHalf(Arc<TcpStream>);

impl Read for ReadHalf {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Connection {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.writer).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.writer).flush()
    }
}

fn serve(stream: Arc<TcpStream>, shared: &ServerShared) -> io::Result<()> {
    // Each write is to be seen as it is made, odd pieces above all.
    stream.set_nodelay(true)?;
    let writer = Arc::clone(&stream);
    let mut connection = Connection { reader: BufReader::new(ReadHalf(stream)), writer };
    match serve_requests(&mut connection, shared)? {
        // Dropping it is what sends the reset: a shutdown would be an orderly end.
        ConnectionFate::Reset => {}
        ConnectionFate::KeepOpen | ConnectionFate::Close => drop(connection.writer.shutdown(Shutdown::Both)),
    }
    Ok(())
}

fn serve_requests(connection: &mut Connection, shared: &ServerShared) -> io::Result<ConnectionFate> {
    while let Some(request) = http::read(connection)? {
        let last = request.is_last();
        let extent = if request.method == "HEAD" { AnswerExtent::Head } else { AnswerExtent::Whole };
        let (reply, number) = shared.take(request);
        let sent = send(connection, reply, &request_id(number), extent);
        shared.close();
        match sent? {
            ConnectionFate::KeepOpen if !last => {}
            ConnectionFate::KeepOpen => break,
            after => return Ok(after),
        }
    }
    Ok(ConnectionFate::Close)
}

/// Sends an answer, and returns what happens to the connection.
fn send(
    connection: &mut Connection,
    reply: Reply,
    request_id: &str,
    what: AnswerExtent,
) -> io::Result<ConnectionFate> {
    match reply {
        Reply::HangUp => return Ok(ConnectionFate::Close),
        Reply::Play { parts, events } => return play::play_actions(connection, &parts, &events, request_id),
        Reply::Json { status, headers, body } => {
            let length = body.len().to_string();
            let mut all = vec![
                ("content-type", "application/json"),
                ("content-length", length.as_str()),
                ("request-id", request_id),
            ];
            all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            let body = if what == AnswerExtent::Head { &[][..] } else { &body };
            connection.write_all(&[&http::head(status, &all), body].concat())?;
        }
        Reply::Stream { events, end, chunk_bytes } => {
            let head = [
                ("content-type", "text/event-stream; charset=utf-8"),
                ("cache-control", "no-cache"),
                ("transfer-encoding", "chunked"),
                ("request-id", request_id),
            ];
            connection.write_all(&http::head(200, &head))?;
            for piece in pieces(events, chunk_bytes) {
                connection.write_all(&http::chunk(&piece))?;
            }
            if end == StreamEnd::Yes {
                return Ok(ConnectionFate::Close);
            }
            connection.write_all(&http::chunk(&[]))?;
        }
    }
    Ok(ConnectionFate::KeepOpen)
}

impl play::Wire for Connection {
    fn reset_on_close(&self) -> io::Result<()> {
        socket2::SockRef::from(&*self.writer).set_linger(Some(Duration::ZERO))
    }
}

/// The events as they are, or all of them cut into pieces of one size.
fn pieces(events: Vec<Vec<u8>>, chunk_bytes: Option<usize>) -> Vec<Vec<u8>> {
    match chunk_bytes {
        Some(size) => events.concat().chunks(size).map(<[u8]>::to_vec).collect(),
        None => events,
    }
}

#[cfg(test)]
mod tests;
