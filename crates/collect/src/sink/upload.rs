//! The body of a request, which tells whether all of it was handed over: what was not sent cannot be acknowledged.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The bytes that are handed to the connection at once.
const CHUNK: usize = 16 * 1024;

/// The rest of a body.
pub(super) struct Upload {
    rest: Bytes,
    progress: UploadProgress,
}

/// Whether a body was handed over.
#[derive(Clone, Default)]
pub(super) struct UploadProgress(Arc<AtomicBool>);

impl UploadProgress {
    pub(super) fn is_complete(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Upload {
    pub(super) fn new(body: Vec<u8>) -> (Self, UploadProgress) {
        let progress = UploadProgress::default();
        (Self { rest: body.into(), progress: progress.clone() }, progress)
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(CHUNK);
        let chunk = self.rest.split_to(length);
        if self.rest.is_empty() {
            self.progress.0.store(true, Ordering::Release);
        }
        Poll::Ready((length > 0).then(|| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
