//! Which page answers which path.

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response_with_state};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::assets;
use crate::guard::{self, Guard};
use crate::library::Library;
use crate::pages::{
    Site, change, check, events, file, files, home, not_found, record, search, session, tool_costs, turns,
    undo, usage, with_error_page,
};

/// The pages that only read, wherever sessions are.
fn reading() -> Router<Site> {
    Router::new()
        .route("/", get(home::page))
        .route("/sessions", get(home::fragment))
        .route("/search", get(search::page))
        .route("/usage", get(usage::page))
        .route("/usage.csv", get(usage::csv))
        .route("/session/{id}", get(session::page))
        .route("/session/{id}/window/{number}", get(session::window))
        .route("/session/{id}/turns", get(turns::turns))
        .route("/session/{id}/agent/{agent}", get(session::agent))
        .route("/session/{id}/place/{line}", get(record::place))
        .route("/session/{id}/raw/{line}", get(record::raw))
        .route("/session/{id}/image/{line}/{number}", get(record::image))
        .route("/session/{id}/record/{uuid}", get(record::record))
        .route("/assets/{name}", get(assets::get))
        .fallback(not_found)
}

/// The pages of a reader who was let in, of sessions that are elsewhere.
pub(crate) fn reader_router(guard: Arc<Guard>, library: Arc<Library>) -> Router {
    let site = Site { library, guard, followers: Arc::new(Semaphore::new(0)) };
    reading().layer(map_response_with_state(site.clone(), with_error_page)).with_state(site)
}

/// All pages, behind the guard; at most `followers` of them follow something at a time.
pub(crate) fn router(guard: Arc<Guard>, library: Arc<Library>, followers: usize) -> Router {
    let followers = Arc::new(Semaphore::new(followers));
    let site = Site { library, guard: Arc::clone(&guard), followers };
    reading()
        .route("/events", get(events::store))
        .route("/files", get(files::page))
        .route("/file/{id}", get(file::page))
        .route("/usage/tools", get(tool_costs::page))
        .route("/check", get(check::page))
        .route("/undo", get(undo::page).post(undo::undo))
        .route("/session/{id}/events", get(events::session))
        .route("/session/{id}/change/{what}", get(change::plan))
        .route("/session/{id}/change/{what}", post(change::apply))
        .layer(map_response_with_state(site.clone(), with_error_page))
        .layer(from_fn_with_state(guard, guard::check))
        .with_state(site)
}
