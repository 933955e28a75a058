//! A request whose answer is read, for services that answer more than a status.

use std::time::Duration;

use reqwest::Body;
use reqwest::header::CONNECTION;
use tokio::runtime::Builder;

use super::client::{Client, MIN_UPLOAD_RATE, RequestError};
use super::upload::Upload;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpReply {
    pub status: u16,
    /// The header that was asked for, if it is there.
    pub header: Option<String>,
    pub body: Vec<u8>,
}

impl Client {
    /// Posts a body with these parameters in the address, and reads the answer and one of its headers. An answer that ends early
    /// is an error.
    pub fn exchange(
        &self,
        parameters: &[(String, String)],
        headers: &[(&str, String)],
        body: Vec<u8>,
        header: &str,
    ) -> Result<HttpReply, RequestError> {
        let upload_time = (body.len() as u64).saturating_mul(1000) / MIN_UPLOAD_RATE;
        let timeout = self.timeout + Duration::from_millis(upload_time);
        let mut url = self.url.clone();
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        let (upload, progress) = Upload::new(body);
        let mut request = self.http.post(url).timeout(timeout).header(CONNECTION, "close");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Body::wrap(upload));
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let answer = runtime.block_on(async {
            let response = request.send().await?;
            let status = response.status().as_u16();
            let header = response.headers().get(header).and_then(|value| value.to_str().ok());
            let header = header.map(str::to_owned);
            Ok(HttpReply { status, header, body: response.bytes().await?.into() })
        });
        runtime.shutdown_background();
        let reply = answer.map_err(|error: reqwest::Error| self.failure(&error, timeout))?;
        if reply.status < 300 && !progress.is_complete() {
            return Err(RequestError::Early);
        }
        Ok(reply)
    }
}
