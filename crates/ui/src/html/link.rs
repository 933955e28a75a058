//! Links: only to where a reader can go by choice.

use super::escape::attribute;

/// The schemes that may be followed.
const SCHEMES: [&str; 3] = ["http:", "https:", "mailto:"];

/// Returns whether an address may be followed: it names its scheme, and no script, file or data is among them.
pub(super) fn is_safe(address: &str) -> bool {
    let is_begun =
        |scheme: &&str| address.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    SCHEMES.iter().any(is_begun) && !address.chars().any(|c| c.is_control() || c == '\\')
}

/// Opens a link; returns whether it did.
pub(super) fn open(address: &str, out: &mut String) -> bool {
    if !is_safe(address) {
        return false;
    }
    out.push_str("<a");
    attribute("href", address, out);
    out.push_str(" rel=\"noopener noreferrer nofollow\">");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_schemes_are_followed() {
        for address in ["http://a", "HTTPS://a/b?c=d", "mailto:a@b"] {
            assert!(is_safe(address), "{address}");
        }
        let refused = "javascript:alert(1)|JaVaScRiPt:x|data:text/html,x|vbscript:x|file:///etc|//a.b|/a|#a|java\tscript:x";
        for address in
            refused.split('|').chain(["", " http://a", "http:\\a", "\u{1}javascript:x", "ht\ntp://a"])
        {
            assert!(!is_safe(address), "{address}");
        }
    }
}
