//! A receiver of batches on loopback that is as bad as a network: it loses, delays, refuses, cuts connections and says
//! twice that it has something. What it does is decided by a seed.

mod tls;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::ServerConfig;

use self::tls::Connection;
use crate::api::http::{self, head};

pub use self::tls::{AUTHORITY, Certificate};

/// A batch as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Names and values, as they were sent.
    pub headers: Vec<(String, String)>,
    /// Not decoded.
    pub body: Vec<u8>,
}

impl Received {
    /// A header's value; names are compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The body as it was before it was compressed. Panics where its encoding is not known, or not what it says.
    pub fn decoded(&self) -> Vec<u8> {
        let broken = |error: std::io::Error| -> usize { panic!("{:?}: {error}", self.headers) };
        let mut out = Vec::new();
        match self.header("content-encoding") {
            None => return self.body.clone(),
            Some("gzip") => {
                flate2::read::GzDecoder::new(&self.body[..]).read_to_end(&mut out).unwrap_or_else(broken)
            }
            Some("zstd") => zstd::Decoder::new(&self.body[..])
                .and_then(|mut decoder| decoder.read_to_end(&mut out))
                .unwrap_or_else(broken),
            Some(other) => panic!("the encoding {other} is not known"),
        };
        out
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// It keeps and acknowledges everything.
    Good,
    /// Every second request goes wrong in one of the ways, chosen by this seed.
    Bad(u64),
    /// It answers everything with this status.
    Status(u16),
    /// It keeps what has no more bytes than this, and says of the rest that it is too large.
    AtMost(usize),
    /// It is not there: every connection ends before anything was read.
    Away,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    KeptLate,
    KeptTwiceSaid,
    KeptUnsaid,
    LostUnsaid,
    CutEarly,
    Status(u16),
    KeptUpTo(usize),
}

impl Manners {
    fn fate(self, state: &mut u64) -> Fate {
        match self {
            Self::Status(status) => return Fate::Status(status),
            Self::AtMost(most) => return Fate::KeptUpTo(most),
            Self::Away => return Fate::CutEarly,
            Self::Good | Self::Bad(_) => {}
        }
        // xorshift: seeded, and good enough to choose by.
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        match (self, *state >> 33) {
            (Self::Bad(_), chance) if chance % 2 == 0 => match (chance / 2) % 8 {
                0 => Fate::KeptLate,
                1 => Fate::KeptTwiceSaid,
                2 => Fate::KeptUnsaid,
                3 => Fate::LostUnsaid,
                4 => Fate::CutEarly,
                5 => Fate::Status(500),
                6 => Fate::Status(503),
                _ => Fate::Status(429),
            },
            _ => Fate::Kept,
        }
    }
}

/// The receiver. It stops when it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    stopping: AtomicBool,
    manners: Mutex<Manners>,
    kept: Mutex<Vec<Received>>,
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Vec<Received>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn manners(&self) -> Manners {
        *self.manners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// Starts on a port of the system's choice. Panics where it cannot listen.
    pub fn start(manners: Manners) -> Self {
        Self::listen(manners, "http", None)
    }

    /// The same, encrypted.
    pub fn start_encrypted(manners: Manners, certificate: Certificate) -> Self {
        Self::listen(manners, "https", Some(certificate.config()))
    }

    fn listen(manners: Manners, scheme: &'static str, config: Option<Arc<ServerConfig>>) -> Self {
        let bound = TcpListener::bind(("127.0.0.1", 0));
        let listener = bound.unwrap_or_else(|error| panic!("127.0.0.1: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let (stopping, kept) = (AtomicBool::new(false), Mutex::default());
        let shared = Arc::new(Shared { stopping, manners: Mutex::new(manners), kept });
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut state = if let Manners::Bad(seed) = manners { seed | 1 } else { 1 };
            for stream in listener.incoming().flatten() {
                if theirs.stopping.load(Ordering::SeqCst) {
                    return;
                }
                // A broken connection is what this is for.
                let fate = theirs.manners().fate(&mut state);
                let _ = Connection::new(&stream, config.as_ref())
                    .and_then(|connection| serve(&stream, connection, fate, &theirs));
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        Self { address, scheme, shared, thread: Some(thread) }
    }

    /// Where batches are to be sent.
    pub fn url(&self) -> String {
        format!("{}://{}/in", self.scheme, self.address)
    }

    /// Changes its manners from the next request on. What is bad goes on by the seed that it began with.
    pub fn behave(&self, manners: Manners) {
        *self.shared.manners.lock().unwrap_or_else(PoisonError::into_inner) = manners;
    }

    /// Everything that was kept so far, in the order of arrival, repetitions included.
    pub fn kept(&self) -> Vec<Received> {
        self.shared.kept().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // It waits for a connection: here is the last one.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: &TcpStream, mut both: Connection<'_>, fate: Fate, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    if fate == Fate::CutEarly {
        return Ok(());
    }
    let Some(request) = http::read(&mut both)? else { return Ok(()) };
    let received = Received { headers: request.headers, body: request.body };
    let ok = head(200, &[("Content-Length", "0")]);
    let answer = match fate {
        Fate::LostUnsaid | Fate::CutEarly => return Ok(()),
        Fate::Status(status) => head(status, &[("Content-Length", "0"), ("Retry-After", "0")]),
        Fate::KeptUpTo(most) if received.body.len() > most => head(413, &[("Content-Length", "0")]),
        Fate::KeptUnsaid => {
            shared.kept().push(received);
            return Ok(());
        }
        Fate::Kept | Fate::KeptLate | Fate::KeptTwiceSaid | Fate::KeptUpTo(_) => {
            shared.kept().push(received);
            if fate == Fate::KeptLate {
                thread::sleep(Duration::from_millis(3));
            }
            if fate == Fate::KeptTwiceSaid { [&ok[..], &ok[..]].concat() } else { ok }
        }
    };
    both.write_all(&answer)?;
    both.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_and_every_fate_comes() {
        let fates = |seed: u64| -> Vec<Fate> {
            let mut state = seed;
            (0..300).map(|_| Manners::Bad(seed).fate(&mut state)).collect()
        };
        assert_eq!(fates(7), fates(7));
        assert_ne!(fates(7), fates(9));
        let kinds = [Fate::KeptLate, Fate::KeptTwiceSaid, Fate::KeptUnsaid, Fate::LostUnsaid, Fate::CutEarly];
        for fate in kinds.into_iter().chain([500, 503, 429].map(Fate::Status)) {
            assert!(fates(7).contains(&fate), "{fate:?}");
        }
    }
}
