//! Header values that hold a secret: sensitive, in one buffer, wiped with the last copy.

use bytes::Bytes;
use reqwest::header::{HeaderValue, InvalidHeaderValue};
use zeroize::Zeroizing;

/// Builds a header value from `prefix` and `secret`. All clones share one buffer, which is wiped with the last of them.
pub(crate) fn secret_header(prefix: &str, secret: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    // Reserved in full: a buffer that grows leaves copies of its beginning behind.
    let mut line = Zeroizing::new(Vec::with_capacity(prefix.len() + secret.len()));
    line.extend_from_slice(prefix.as_bytes());
    line.extend_from_slice(secret.as_bytes());
    let mut value = HeaderValue::from_maybe_shared(Bytes::from_owner(line))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_does_not_show_its_secret() {
        let value = secret_header("Bearer ", "sk-of-the-tests").unwrap();
        assert_eq!((value.to_str().unwrap(), value.is_sensitive()), ("Bearer sk-of-the-tests", true));
        assert!(!format!("{value:?}").contains("sk-"));
        let error = secret_header("", "sk-\u{1}").unwrap_err();
        assert!(!format!("{error:?} {error}").contains("sk-"));
    }

    #[test]
    fn clones_share_one_buffer() {
        let value = secret_header("", "sk-of-the-tests").unwrap();
        let copy = value.clone();
        assert_eq!(value.as_bytes().as_ptr(), copy.as_bytes().as_ptr());
    }
}
