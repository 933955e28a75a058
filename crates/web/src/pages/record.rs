//! Single records of a session: where one is, how it is written, and its images.

use annals_ui::view::{image_data, image_type};
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;

use super::{PageError, Params, SessionRequest, Site, blocking, encoded, html_response};
use crate::body;

/// The largest image that is served, in bytes of Base64.
const MAX_IMAGE: usize = 32 * 1024 * 1024;

/// Where a line is: its window, and the line that has an element there.
pub(crate) async fn place(
    State(site): State<Site>,
    Path((id, line)): Path<(String, u32)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let place = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        let at = session.window_of(line).or_else(|| session.outline.place_of(line));
        at.ok_or_else(|| PageError::not_found("This conversation has no such line."))
    })
    .await?;
    let json = format!("{{\"line\":{},\"window\":{}}}", place.0, place.1);
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}

/// Leads to a record by its id.
pub(crate) async fn record(
    State(site): State<Site>,
    Path((id, uuid)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let target = blocking(&site, move |library| {
        let found = request.find(library)?;
        let line = library.line_of(&found.path, &uuid).map_err(|error| PageError::unreadable(&error))?;
        let line = line.ok_or_else(|| PageError::not_found("The session has no such record."))?;
        let slug = request.slug.map(|slug| format!("?in={}", encoded(&slug))).unwrap_or_default();
        Ok(format!("/session/{}{slug}#L{line}", encoded(&request.id)))
    })
    .await?;
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, target)]).into_response())
}

/// A record as it is written, with its line and byte.
pub(crate) async fn raw(
    State(site): State<Site>,
    Path((id, line)): Path<(String, usize)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let raw = blocking(&site, move |library| {
        let found = request.find_again(library)?;
        let raw = library.raw(&found.path, line).map_err(|error| PageError::unreadable(&error))?;
        raw.ok_or_else(|| PageError::not_found("The file has no such line."))
    })
    .await?;
    let mut text = String::new();
    annals_ui::html::escape(&String::from_utf8_lossy(&raw.bytes), &mut text);
    Ok(html_response(html! {
        p class="facts" {
            span { "line " (raw.line) } span { "byte " (raw.offset) } span { (raw.bytes.len()) " bytes" }
            button type="button" class="copy" data-copy-from="#raw-body pre" { "Copy" }
        }
        pre tabindex="0" { (maud::PreEscaped(text)) }
    }))
}

/// An image of a record, if its first bytes are those of an image.
pub(crate) async fn image(
    State(site): State<Site>,
    Path((id, line, number)): Path<(String, usize, usize)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let no_image = || PageError::not_found("There is no image here.");
    let (kind, bytes) = blocking(&site, move |library| {
        if !library.is_changeable() {
            return Err(no_image());
        }
        let found = request.find_again(library)?;
        let raw = library.raw(&found.path, line).map_err(|error| PageError::unreadable(&error))?;
        let raw = raw.ok_or_else(no_image)?;
        let (fields, _) = annals_json::Fields::scan(&raw.bytes).map_err(|_| no_image())?;
        let data =
            image_data(&annals_transcript::record::Record::new(fields), number).ok_or_else(no_image)?;
        let data = data.decode();
        if data.len() > MAX_IMAGE {
            return Err(no_image());
        }
        let bytes = body::from_base64(&data).ok_or_else(no_image)?;
        let kind = image_type(&bytes).ok_or_else(no_image)?;
        Ok((kind, bytes))
    })
    .await?;
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, "inline")], Body::from(bytes))
        .into_response())
}
