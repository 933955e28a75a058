//! The server: a listener on loopback, a thread for each connection, and an end to all of them when its owner goes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, mem};

use super::answer::{BrokenOff, Played, Reply, answer, request_id};
use super::http::{self, Request};
use super::play::{self, After};
use super::record::Captured;
use super::script::Script;

/// Where the server listens and what it leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
    /// A folder that gets `NNN.json` for each request.
    pub log: Option<PathBuf>,
}

/// The Messages API, played from a script on loopback, and strict about what it is sent.
///
/// It stops when it is dropped: open connections are shut and every thread is waited for.
#[derive(Debug)]
pub struct ScriptedApi {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    log: Option<PathBuf>,
    stopping: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Captured>,
    played: Played,
    /// Weak, so that a connection that is to be reset is really gone with its thread.
    connections: Vec<Weak<TcpStream>>,
    threads: Vec<JoinHandle<()>>,
}

impl ScriptedApi {
    /// Starts on a port of the system's choice.
    pub fn start(script: Script) -> Self {
        Self::start_with(script, Settings::default())
    }

    /// Starts as the settings say. Panics where it cannot listen or log.
    pub fn start_with(script: Script, settings: Settings) -> Self {
        if let Some(folder) = &settings.log {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        let bound = TcpListener::bind(("127.0.0.1", settings.port));
        let listener = bound.unwrap_or_else(|error| panic!("127.0.0.1:{}: {error}", settings.port));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let shared = Arc::new(Shared {
            script,
            log: settings.log,
            stopping: AtomicBool::new(false),
            state: Mutex::default(),
        });
        let theirs = Arc::clone(&shared);
        let acceptor = thread::spawn(move || accept(&listener, &theirs));
        Self { address, shared, acceptor: Some(acceptor) }
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
    pub fn requests(&self) -> Vec<Captured> {
        self.shared.state().requests.clone()
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

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request and remembers it; the number of the request comes with the answer.
    fn take(&self, request: Request) -> (Reply, usize) {
        let mut state = self.state();
        let number = state.requests.len();
        let (reply, violations) = answer(&request, number, &self.script, &mut state.played);
        let Request { method, path, headers, body } = request;
        let captured = Captured { method, path, headers, body, violations, status: reply.status() };
        if let Some(folder) = &self.log {
            let file = folder.join(format!("{number:03}.json"));
            fs::write(&file, captured.to_json())
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        state.requests.push(captured);
        (reply, number)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let stream = Arc::new(stream);
        let ours = Arc::downgrade(&stream);
        let theirs = Arc::clone(shared);
        // A client that goes away in the middle is no concern of the server's.
        let thread = thread::spawn(move || drop(serve(stream, &theirs)));
        let mut state = shared.state();
        state.connections.push(ours);
        state.threads.push(thread);
    }
}

/// Both directions of a connection, the reading one buffered.
struct Connection {
    reader: BufReader<Handle>,
    writer: Arc<TcpStream>,
}

/// The reading end.
struct Handle(Arc<TcpStream>);

impl Read for Handle {
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

fn serve(stream: Arc<TcpStream>, shared: &Shared) -> io::Result<()> {
    // Each write is to be seen as it is made, odd pieces above all.
    stream.set_nodelay(true)?;
    let writer = Arc::clone(&stream);
    let mut connection = Connection { reader: BufReader::new(Handle(stream)), writer };
    match converse(&mut connection, shared)? {
        // Dropping it is what sends the reset: a shutdown would be an orderly end.
        After::Reset => {}
        After::GoOn | After::Close => drop(connection.writer.shutdown(Shutdown::Both)),
    }
    Ok(())
}

fn converse(connection: &mut Connection, shared: &Shared) -> io::Result<After> {
    while let Some(request) = http::read(connection)? {
        let last = request.is_last();
        let only_head = request.method == "HEAD";
        let (reply, number) = shared.take(request);
        let request_id = request_id(number);
        match reply {
            Reply::HangUp => return Ok(After::Close),
            Reply::Play { parts, events } => match play::perform(connection, &parts, &events, &request_id)? {
                After::GoOn => {}
                after => return Ok(after),
            },
            Reply::Json { status, headers, body } => {
                let length = body.len().to_string();
                let mut all = vec![
                    ("content-type", "application/json"),
                    ("content-length", length.as_str()),
                    ("request-id", &request_id),
                ];
                all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
                let body = if only_head { &[][..] } else { &body };
                connection.write_all(&[&http::head(status, &all), body].concat())?;
            }
            Reply::Stream { events, broken_off, chunk_bytes } => {
                let head = [
                    ("content-type", "text/event-stream; charset=utf-8"),
                    ("cache-control", "no-cache"),
                    ("transfer-encoding", "chunked"),
                    ("request-id", &request_id),
                ];
                connection.write_all(&http::head(200, &head))?;
                for piece in pieces(events, chunk_bytes) {
                    connection.write_all(&http::chunk(&piece))?;
                }
                if broken_off == BrokenOff::Yes {
                    return Ok(After::Close);
                }
                connection.write_all(&http::chunk(&[]))?;
            }
        }
        if last {
            break;
        }
    }
    Ok(After::Close)
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
