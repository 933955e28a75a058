//! Live updates: a session's new lines as they are written, and that the store has changed.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use annals_store::follow::{FollowEvent, FollowStart, Follower};
use annals_store::watch::{Watch, WatchTarget};
use annals_transcript::line::Line;
use annals_ui::view::LiveSession;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tokio::sync::OwnedSemaphorePermit;

use super::{PageError, Params, SessionRequest, Site, blocking, window};
use crate::body::{self, Pieces};
use crate::library::{Library, OpenSession};

/// How long to wait before looking whether the page is still there.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Lines before what is new that are read again: calls whose results are still to come.
const LOOK_BACK: usize = 400;
/// Changes of the store are told at most this often.
const PAUSE: Duration = Duration::from_millis(700);
/// A page that hears nothing for so long is told that nothing happened, so that a lost connection is noticed.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Tells that the store has changed.
pub(crate) async fn store(State(site): State<Site>) -> Result<Response, PageError> {
    let place = place(&site)?;
    let (pieces, body) = body::streamed();
    let library = std::sync::Arc::clone(&site.library);
    tokio::task::spawn_blocking(move || {
        watch_store(&library, &pieces);
        drop(place);
    });
    Ok(stream(body))
}

/// A place for a page that follows something, if there is one left.
fn place(site: &Site) -> Result<OwnedSemaphorePermit, PageError> {
    let place = std::sync::Arc::clone(&site.followers).try_acquire_owned();
    place.map_err(|_| PageError::busy("Too many pages are already following sessions."))
}

fn stream(body: axum::body::Body) -> Response {
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    response
}

/// Watches every store until the page is gone.
fn watch_store(library: &Library, pieces: &Pieces) {
    let (sender, changes) = mpsc::channel();
    let targets = library.stores.iter().map(|store| WatchTarget::Tree(store.config_dir().projects()));
    // All watches are there before the page is told that it hears of changes.
    let watches: Vec<Watch> = targets.map(Watch::new).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for mut watch in watches {
            let (sender, is_over) = (sender.clone(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    if watch.wait(MAX_WAIT).is_change() && sender.send(()).is_err() {
                        return;
                    }
                }
            });
        }
        tell_changes(library, &changes, pieces);
        is_over.store(true, Ordering::Relaxed);
    });
}

fn tell_changes(library: &Library, changes: &mpsc::Receiver<()>, pieces: &Pieces) {
    let (mut last, mut age) = (Instant::now(), library.index_age());
    if pieces.blocking_send(event("open", "")).is_err() {
        return;
    }
    while !pieces.is_closed() {
        let is_change = changes.recv_timeout(MAX_WAIT).is_ok();
        let sent = if is_change || age != library.index_age() {
            thread::sleep(PAUSE);
            // What came meanwhile is told at once.
            while changes.try_recv().is_ok() {}
            if is_change {
                library.refresh_indexes_sometimes();
            }
            age = library.index_age();
            library.forget_listing();
            last = Instant::now();
            pieces.blocking_send(event("changed", ""))
        } else if last.elapsed() >= HEARTBEAT {
            last = Instant::now();
            pieces.blocking_send(": still here\n\n".to_owned())
        } else {
            Ok(())
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Sends the items of lines that are appended to a session, from where the page ends.
pub(crate) async fn session(
    State(site): State<Site>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let place = place(&site)?;
    let params = Params::parse(query.as_deref());
    // A page that lost its connection says how far it came: the browser by itself, our script where it closed it.
    let told = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let shown: Option<u64> = told.max(params.number("after"));
    let request = SessionRequest::new(id, &params);
    let wanted = request.clone();
    let (path, opened) = blocking(&site, move |library| {
        let (found, opened) = wanted.open(library)?;
        Ok((found.path, opened))
    })
    .await?;
    let (pieces, body) = body::streamed();
    let library = std::sync::Arc::clone(&site.library);
    tokio::task::spawn_blocking(move || {
        let from = shown.unwrap_or_default().max(opened.bytes);
        follow(&library, &request, &opened, (path, from), &pieces);
        drop(place);
    });
    Ok(stream(body))
}

/// Follows a file from a byte on. Each event has the byte after it as its id, where a lost connection is taken up again.
fn follow(
    library: &Library,
    request: &SessionRequest,
    opened: &OpenSession,
    (path, from): (PathBuf, u64),
    pieces: &Pieces,
) {
    // Before the first read, so that no change is missed in between.
    let mut watch = Watch::new(WatchTarget::File(path.clone()));
    let start = FollowStart::LinesBefore { lines: LOOK_BACK, offset: from };
    let Ok(mut follower) = Follower::open(path, start) else { return };
    let mut end = from;
    let mut live = LiveSession::new();
    let mut last = Instant::now();
    if pieces.blocking_send(event("open", "")).is_err() {
        return;
    }
    while !pieces.is_closed() {
        let mut news = String::new();
        let mut is_rewritten = false;
        let polled = follower.poll(|what| {
            match what {
                // What the page has is only read for what it leaves open: calls without results.
                FollowEvent::Line(line) => {
                    let is_new = (line.offset as u64) >= from;
                    end = end.max((line.offset + line.raw().len()) as u64);
                    let clean =
                        library.redaction.as_ref().map(|redaction| redaction.record(line.raw().to_vec()));
                    let items = match clean {
                        Some(raw) => {
                            let mut clean = Line::uncounted(line.offset, &raw);
                            clean.number = line.number;
                            live.add_line(&clean).items
                        }
                        None => live.add_line(&line).items,
                    };
                    if is_new {
                        window::draw(library, request, opened, items, &mut news);
                    }
                }
                FollowEvent::Truncated | FollowEvent::Replaced | FollowEvent::Gone => is_rewritten = true,
                _ => {}
            }
            ControlFlow::<()>::Continue(())
        });
        let mut sent = Ok(());
        if is_rewritten || polled.is_err() {
            sent = pieces.blocking_send(event("rewritten", ""));
        } else if !news.is_empty() {
            sent = pieces.blocking_send(format!("id: {end}\n{}", event("items", &news)));
        } else if last.elapsed() >= HEARTBEAT {
            sent = pieces.blocking_send(": still here\n\n".to_owned());
        }
        if sent.is_err() {
            return;
        }
        if !news.is_empty() || last.elapsed() >= HEARTBEAT {
            last = Instant::now();
        }
        watch.wait(MAX_WAIT);
    }
}

/// One event; its data may have several lines.
fn event(name: &str, data: &str) -> String {
    let mut out = format!("event: {name}\n");
    for line in data.split(['\n', '\r']) {
        out.push_str("data: ");
        out.push_str(line);
        out.push('\n');
    }
    out.push('\n');
    out
}
