//! The answer of a receiver: its status, and how long it asks to wait. The body is read to its end and not kept.

use std::io::{self, BufRead};

use crate::retry::RetryAfter;

/// Longer heads than this are no heads.
const LONGEST_HEAD: u64 = 64 * 1024;

/// Why an answer is none.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// The connection broke, or the time was up.
    #[error("the connection broke before the answer came: {0}")]
    Broken(#[from] io::Error),
    /// It is not HTTP.
    #[error("the answer is not HTTP")]
    NotHttp,
    /// It was not asked: it should be encrypted, and nobody may vouch for it.
    #[error("no certificate is trusted")]
    NobodyTrusted,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<RetryAfter>,
}

/// Reads the head of an answer; those that only say "go on" are passed over. The connection is for one answer, so its body
/// needs no reading: the status is the acknowledgement.
pub(super) fn read(stream: impl BufRead) -> Result<Reply, ReplyError> {
    let mut stream = stream.take(LONGEST_HEAD);
    loop {
        let first = line(&mut stream)?;
        let mut words = first.split(' ');
        let version = words.next().unwrap_or_default();
        let status = words.next().and_then(|digits| digits.parse::<u16>().ok());
        let (true, Some(status)) = (version.starts_with("HTTP/1."), status) else {
            return Err(ReplyError::NotHttp);
        };
        let mut retry_after = None;
        loop {
            let header = line(&mut stream)?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').ok_or(ReplyError::NotHttp)?;
            if name.eq_ignore_ascii_case("retry-after") {
                retry_after = RetryAfter::parse(value);
            }
        }
        if status >= 200 {
            return Ok(Reply { status, retry_after });
        }
    }
}

fn line(stream: &mut impl BufRead) -> Result<String, ReplyError> {
    let mut line = Vec::new();
    stream.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_an_answer_and_half_a_head_is_none() {
        let ok = read(&b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\na: b\r\n\r\n"[..]).unwrap();
        assert_eq!(ok, Reply { status: 204, retry_after: None });
        let busy = read(&b"HTTP/1.0 429 Slow\r\nRetry-After: 7\r\n\r\nbody"[..]).unwrap();
        assert_eq!(busy, Reply { status: 429, retry_after: Some(RetryAfter::Seconds(7)) });
        let dated =
            read(&b"HTTP/1.1 503 Away\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"[..]).unwrap();
        assert_eq!(dated.retry_after, Some(RetryAfter::At(784_111_777_000)));
        for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\na: b\r\n"] {
            assert!(matches!(read(cut.as_bytes()), Err(ReplyError::Broken(_))), "{cut}");
        }
        assert!(matches!(read(&b"SSH-2.0\r\n\r\n"[..]), Err(ReplyError::NotHttp)));
    }
}
