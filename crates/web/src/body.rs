//! Bodies: forms that come in, pages that go out in pieces.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_core::Stream;
use tokio::sync::mpsc;

/// The most bytes of a form.
const MAX_FORM: usize = 64 * 1024;
/// How long a form may take to arrive.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Pieces that wait for a slow reader.
const PIECES: usize = 8;

/// Reads the fields of a form; `None` if it is too long or does not come.
pub(crate) async fn form(body: Body) -> Option<Vec<(String, String)>> {
    let bytes = tokio::time::timeout(MAX_WAIT, axum::body::to_bytes(body, MAX_FORM)).await.ok()?.ok()?;
    Some(form_urlencoded::parse(&bytes).into_owned().collect())
}

/// Where the pieces of a page are put; closed when the reader goes away.
pub(crate) type Pieces = mpsc::Sender<String>;

/// A body that is written while it is sent.
pub(crate) fn streamed() -> (Pieces, Body) {
    let (sender, receiver) = mpsc::channel(PIECES);
    (sender, Body::from_stream(PieceStream(receiver)))
}

struct PieceStream(mpsc::Receiver<String>);

impl Stream for PieceStream {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Bytes::from(piece))))
    }
}

/// Decodes Base64; `None` if it is none.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text.trim()).ok()
}
