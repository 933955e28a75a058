//! Links that let in anyone who has them: the random part of a webhook, an invitation, a link for a new password.

use memchr::memmem;

use super::evidence::{is_likely_token, is_plain_name};
use super::haystack::Haystack;
use super::ids::is_uuid;
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_placeholder, is_varied};
use super::words::{WordList, parts, random_bits};

/// A longer address is data.
const MAX_LINK_BYTES: usize = 1024;
/// How far before an address a word announces what it is.
const MAX_LEAD_BYTES: usize = 32;
/// The fewest bytes of a random part.
const MIN_BYTES: usize = 12;

/// Words of links that let in.
static LINK_WORDS: WordList = WordList::new(
    "hook hooks webhook webhooks webhookb token tokens key invite invites invitation join sign signed signature sig private \
     reset magic ping secret trigger password passwd login auth verify confirm confirmation activate activation share access",
);
/// Segments before hashes and names that everybody may see.
static PLAIN_SEGMENTS: WordList = WordList::new(
    "commit commits blob blobs tree raw compare pull pulls issue issues object objects sha file files docs doc runs run jobs \
     job builds build releases download downloads assets asset static packages package images image wiki tag tags",
);
/// Parameters that are no secrets.
static PLAIN_PARAMETERS: WordList = WordList::new(
    "state nonce challenge redirect scope client utm ref next continue v version sha page q query",
);

/// Finds the random parts of links that let in.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    let mut done = 0;
    for at in memmem::find_iter(hay.bytes, b"://") {
        if at < done {
            continue;
        }
        let start = at + 3;
        let is_part = |byte: u8| byte.is_ascii_graphic() && !b"\"'`<>()[]{}|\\,".contains(&byte);
        let end = hay.skip(start, MAX_LINK_BYTES, is_part);
        done = end;
        let Some(link) = hay.text.get(start..end).filter(|link| link.len() < MAX_LINK_BYTES) else {
            continue;
        };
        let lead = hay.tail(at, MAX_LEAD_BYTES).rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let lead = String::from_utf8_lossy(lead);
        let mut is_announced = has_link_word(&lead);
        let (mut place, mut before) = (start, "");
        for segment in link.split(['/', '?', '&', '=', '#']) {
            let span = place..place + segment.trim_end_matches(['.', ':', ';', '!', '_']).len();
            place += segment.len() + 1;
            let is_parameter = hay.before(span.start) == b'=';
            let is_plain = is_parameter
                && (is_plain_name(before) || parts(before).any(|part| PLAIN_PARAMETERS.contains(part)))
                || PLAIN_SEGMENTS.contains(before);
            let text = &hay.text[span.clone()];
            if is_announced && !is_plain && span.start > start && is_random_part(text) {
                hay.count(text.len() * 4);
                found.push(Finding { kind: SecretKind::Entropy, span });
            }
            is_announced |= has_link_word(segment);
            before = segment;
        }
    }
}

fn has_link_word(text: &str) -> bool {
    parts(text).any(|part| LINK_WORDS.contains(&part.to_ascii_lowercase()))
}

/// Whether a part of a link is random: digits among letters, and no words.
fn is_random_part(text: &str) -> bool {
    let is_hex = text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_key = text.len() >= MIN_BYTES
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && random_bits(text) >= text.len() as f64 * 2.0
        && random_bits(text) >= 36.0;
    (is_uuid(text) || is_hex || is_key || is_likely_token(text) && text.len() >= MIN_BYTES)
        && is_varied(text)
        && !is_placeholder(text)
        && !text.contains(['.', '@', ':', '%', '$', '*'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find(&Haystack::new(text), &mut found);
        found.into_iter().map(|finding| &text[finding.span]).collect()
    }

    #[test]
    fn links_that_let_in_are_known_by_their_words() {
        for (text, secret) in [
            ("https://mm.h.net/hooks/x8k2v9q0z7w3m5n1p4r6t8y2ua", "x8k2v9q0z7w3m5n1p4r6t8y2ua"),
            ("webhook: https://h.net/9fceb02d0ae598e95dc970b74767f193", "9fceb02d0ae598e95dc970b74767f193"),
            ("https://h.net/invite/Ab3kX9vQz7Lm2Pq8", "Ab3kX9vQz7Lm2Pq8"),
            ("https://h.net/v.mp4?expires=1700000000&sign=x8k2v9q0z7w3m5n1", "x8k2v9q0z7w3m5n1"),
        ] {
            assert_eq!(parts_of(text), [secret], "{text}");
        }
    }

    #[test]
    fn other_links_are_not() {
        for text in [
            "https://git.h.net/x/webhooks/commit/9fceb02d0ae598e95dc970b74767f19372d61af8",
            "https://h.net/docs/x8k2v9q0z7w3m5n1p4r6t8y2ua",
            "https://h.net/login?state=x8k2v9q0z7w3m5n1p4r6t8y2ua&client_id=x8k2v9q0z7w3m5n1",
            "https://h.net/auth/password-reset-confirmation",
            "https://h.net/token/${TOKEN}",
        ] {
            assert_eq!(parts_of(text), Vec::<&str>::new(), "{text}");
        }
    }
}
