//! Scripts and styles, compiled in. Their names hold their content, so that a browser may cache them without asking again.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// A file that pages load.
pub(crate) struct Asset {
    /// The path that pages use.
    pub(crate) path: String,
    content_type: &'static str,
    text: String,
}

/// The style of all pages.
pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = [annals_ui::html::STYLE, include_str!("../assets/style.css")].concat();
    asset("style", "css", "text/css; charset=utf-8", text)
});
/// The script of all pages.
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let parts = [
        include_str!("../assets/page.js"),
        include_str!("../assets/session.js"),
        include_str!("../assets/home.js"),
    ];
    asset("annals", "js", "text/javascript; charset=utf-8", parts.concat())
});

fn asset(name: &str, extension: &str, content_type: &'static str, text: String) -> Asset {
    let digest: String = Sha256::digest(&text).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Asset { path: format!("/assets/{name}-{digest}.{extension}"), content_type, text }
}

pub(crate) async fn get(Path(name): Path<String>) -> Response {
    let assets = [&*STYLE, &*SCRIPT];
    let Some(asset) = assets.into_iter().find(|asset| asset.path.strip_prefix("/assets/") == Some(&name))
    else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ];
    (headers, asset.text.as_str()).into_response()
}
