//! A receiver of batches on loopback that fails as networks do: it loses, delays, refuses, cuts connections and answers
//! twice. A seed decides what it does.

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// Names and values, as they were sent.
    pub headers: Vec<(String, String)>,
    /// Not decoded.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// A header's value; names are compared without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The body as it was before it was compressed. Panics if the encoding is unknown or broken.
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

/// How the receiver treats requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverBehavior {
    /// Keeps and acknowledges everything.
    Good,
    /// Every second request goes wrong in one of the ways, chosen by this seed.
    Bad(u64),
    /// Answers everything with this status.
    Status(u16),
    /// Keeps bodies up to this many bytes, and answers 413 to larger ones.
    AtMost(usize),
    /// Ends every connection before anything was read.
    Unreachable,
}

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestOutcome {
    Kept,
    KeptLate,
    KeptAnsweredTwice,
    KeptWithoutAnswer,
    LostWithoutAnswer,
    CutEarly,
    Status(u16),
    KeptUpTo(usize),
}

impl ReceiverBehavior {
    fn outcome(self, state: &mut u64) -> RequestOutcome {
        match self {
            Self::Status(status) => return RequestOutcome::Status(status),
            Self::AtMost(most) => return RequestOutcome::KeptUpTo(most),
            Self::Unreachable => return RequestOutcome::CutEarly,
            Self::Good | Self::Bad(_) => {}
        }
        // xorshift: seeded, and good enough to choose by.
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        match (self, *state >> 33) {
            (Self::Bad(_), chance) if chance % 2 == 0 => match (chance / 2) % 8 {
                0 => RequestOutcome::KeptLate,
                1 => RequestOutcome::KeptAnsweredTwice,
                2 => RequestOutcome::KeptWithoutAnswer,
                3 => RequestOutcome::LostWithoutAnswer,
                4 => RequestOutcome::CutEarly,
                5 => RequestOutcome::Status(500),
                6 => RequestOutcome::Status(503),
                _ => RequestOutcome::Status(429),
            },
            _ => RequestOutcome::Kept,
        }
    }
}

/// The receiver. It stops when it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<ReceiverState>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct ReceiverState {
    stopping: AtomicBool,
    behavior: Mutex<ReceiverBehavior>,
    kept: Mutex<Vec<ReceivedRequest>>,
}

impl ReceiverState {
    fn kept(&self) -> MutexGuard<'_, Vec<ReceivedRequest>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn behavior(&self) -> ReceiverBehavior {
        *self.behavior.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// Starts on a port of the system's choice. Panics if it cannot listen.
    pub fn start(behavior: ReceiverBehavior) -> Self {
        Self::listen(behavior, "http", None)
    }

    /// The same, encrypted.
    pub fn start_encrypted(behavior: ReceiverBehavior, certificate: Certificate) -> Self {
        Self::listen(behavior, "https", Some(certificate.config()))
    }

    fn listen(behavior: ReceiverBehavior, scheme: &'static str, config: Option<Arc<ServerConfig>>) -> Self {
        let bound = TcpListener::bind(("127.0.0.1", 0));
        let listener = bound.unwrap_or_else(|error| panic!("127.0.0.1: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let (stopping, kept) = (AtomicBool::new(false), Mutex::default());
        let shared = Arc::new(ReceiverState { stopping, behavior: Mutex::new(behavior), kept });
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut state = if let ReceiverBehavior::Bad(seed) = behavior { seed | 1 } else { 1 };
            for stream in listener.incoming().flatten() {
                if theirs.stopping.load(Ordering::SeqCst) {
                    return;
                }
                // A broken connection is what this is for.
                let outcome = theirs.behavior().outcome(&mut state);
                let _ = Connection::new(&stream, config.as_ref())
                    .and_then(|connection| serve(&stream, connection, outcome, &theirs));
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        Self { address, scheme, shared, thread: Some(thread) }
    }

    /// Where batches are to be sent.
    pub fn url(&self) -> String {
        format!("{}://{}/in", self.scheme, self.address)
    }

    /// Changes the behavior from the next request on. `Bad` continues with the seed it began with.
    pub fn set_behavior(&self, behavior: ReceiverBehavior) {
        *self.shared.behavior.lock().unwrap_or_else(PoisonError::into_inner) = behavior;
    }

    /// Everything that was kept so far, in the order of arrival, repetitions included.
    pub fn kept(&self) -> Vec<ReceivedRequest> {
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

fn serve(
    stream: &TcpStream,
    mut both: Connection<'_>,
    outcome: RequestOutcome,
    shared: &ReceiverState,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    if outcome == RequestOutcome::CutEarly {
        return Ok(());
    }
    let Some(request) = http::read(&mut both)? else { return Ok(()) };
    let received = ReceivedRequest { headers: request.headers, body: request.body };
    let ok = head(200, &[("Content-Length", "0")]);
    let answer = match outcome {
        RequestOutcome::LostWithoutAnswer | RequestOutcome::CutEarly => return Ok(()),
        RequestOutcome::Status(status) => head(status, &[("Content-Length", "0"), ("Retry-After", "0")]),
        RequestOutcome::KeptUpTo(most) if received.body.len() > most => head(413, &[("Content-Length", "0")]),
        RequestOutcome::KeptWithoutAnswer => {
            shared.kept().push(received);
            return Ok(());
        }
        RequestOutcome::Kept
        | RequestOutcome::KeptLate
        | RequestOutcome::KeptAnsweredTwice
        | RequestOutcome::KeptUpTo(_) => {
            shared.kept().push(received);
            if outcome == RequestOutcome::KeptLate {
                thread::sleep(Duration::from_millis(3));
            }
            if outcome == RequestOutcome::KeptAnsweredTwice { [&ok[..], &ok[..]].concat() } else { ok }
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
        let fates = |seed: u64| -> Vec<RequestOutcome> {
            let mut state = seed;
            (0..300).map(|_| ReceiverBehavior::Bad(seed).outcome(&mut state)).collect()
        };
        assert_eq!(fates(7), fates(7));
        assert_ne!(fates(7), fates(9));
        let kinds = [
            RequestOutcome::KeptLate,
            RequestOutcome::KeptAnsweredTwice,
            RequestOutcome::KeptWithoutAnswer,
            RequestOutcome::LostWithoutAnswer,
            RequestOutcome::CutEarly,
        ];
        for outcome in kinds.into_iter().chain([500, 503, 429].map(RequestOutcome::Status)) {
            assert!(fates(7).contains(&outcome), "{outcome:?}");
        }
    }
}
