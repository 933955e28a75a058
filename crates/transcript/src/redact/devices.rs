//! Lines of configuration in which a keyword and no sign announces a secret: routers and switches, IPsec, mail, scripts of FTP.

use std::ops::Range;

use super::evidence::is_password;
use super::names;
use super::values::{is_likely, is_placeholder, is_varied};
use super::words::{WordList, random_bits};

/// The first words of lines of routers and switches that hold secrets.
static HEADS: WordList = WordList::new(
    "username user enable tacacs-server radius-server tacacs radius crypto ntp neighbor ip ppp standby vrrp \
     snmp-server pre-shared-key isakmp server-private set aaa-server authentication wpa-psk ldap line key password \
     secret key-string dot1x hsrp ospf bgp login",
);
/// What stands before the secret, and perhaps a number for how it is stored.
static KEYWORDS: WordList = WordList::new(
    "password secret key md5 key-string pre-shared-key sha sha256 ascii ascii-text passphrase encrypted-password \
     authentication-key community insecure-password ascii-key plain-text-password-value",
);
/// Words that begin a line of two words, of which the second is a secret.
static ALONE: WordList =
    WordList::new("pass bindpw rootpw authtok bind_pw rootbindpw smtp_pass sasl_password");
/// Keys of YAML below which a `key` is secret.
static PARENTS: WordList =
    WordList::new("encryption credentials credential auth secret secrets login signing hmac");
/// Fewest random bits of a value that only its place announces.
const MIN_BITS: f64 = 60.0;

/// The secret of a line, by its words and the line before.
pub(super) fn secret_of(line: &str, previous: &str) -> Option<Range<usize>> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(24).collect();
    let value = of_device(&words)
        .or_else(|| of_ipsec(line))
        .or_else(|| of_network_drive(&words))
        .or_else(|| of_login(&words, previous))
        .or_else(|| below_parent(line, previous))?;
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    (value.len() >= 4 && !is_placeholder(value)).then(|| start..start + value.len())
}

/// `enable secret 5 …`, `tacacs-server key …`, `ntp authentication-key 1 md5 …`
fn of_device<'l>(words: &[&'l str]) -> Option<&'l str> {
    let head = words.first()?.to_ascii_lowercase();
    if !HEADS.contains(&head) {
        return None;
    }
    let is_keyword = |word: &str| KEYWORDS.contains(word.to_ascii_lowercase().as_str());
    let at = words.iter().rposition(|word| is_keyword(word))?;
    let is_number =
        |word: &str| !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let has_number = words.get(at + 1).is_some_and(|word| is_number(word)) && words.len() > at + 2;
    let value = words.get(at + 1 + usize::from(has_number))?.trim_matches(['"', '\'', ';']);
    let is_hex = value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_stored = has_number && (is_hex && is_varied(value) || random_bits(value) >= 20.0);
    // `key 7 …` is a line of its own, and "key" the first word of many sentences.
    let is_sure = at > 0 || has_number;
    (is_sure && (is_stored || is_likely(value))).then_some(value)
}

/// `host : PSK "…"` of `ipsec.secrets`.
fn of_ipsec(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(": ")?;
    let kind = rest.split_ascii_whitespace().next()?;
    let is_kind = matches!(kind, "PSK" | "XAUTH" | "EAP" | "NTLM" | "PIN");
    let rest = rest.strip_prefix(kind)?.trim_start().strip_prefix('"')?;
    let (value, _) = rest.split_once('"').filter(|_| is_kind)?;
    Some(value)
}

/// `net use Z: \\server\share … /user:name`
fn of_network_drive<'l>(words: &[&'l str]) -> Option<&'l str> {
    let at = words.iter().position(|word| word.to_ascii_lowercase().starts_with("/user:"))?;
    let is_use = matches!(words, [net, used, ..] if net.eq_ignore_ascii_case("net") && used.eq_ignore_ascii_case("use"));
    let value = words.get(at.checked_sub(1)?).filter(|_| is_use)?;
    (!value.starts_with(['\\', '/', '*']) && !value.ends_with(':') && is_password(value)).then_some(*value)
}

/// `user name …` behind `open host`, `bindpw …`, `[host]:port name:…`, `bundle config host name:…`
fn of_login<'l>(words: &[&'l str], previous: &str) -> Option<&'l str> {
    match *words {
        ["user", _, value] if previous.starts_with("open ") => is_password(value).then_some(value),
        // OpenWrt
        ["option", "key" | "wpakey" | "sae_password", value] => {
            Some(value.trim_matches(['"', '\''])).filter(|value| is_password(value))
        }
        // Redis
        ["user", _, "on", ref rules @ ..] => {
            rules.iter().find_map(|rule| rule.strip_prefix('>')).filter(|value| is_password(value))
        }
        [name, value] if ALONE.contains(name.to_ascii_lowercase().as_str()) => {
            is_password(value).then_some(value)
        }
        // `[discord]: https://…` is a link of Markdown.
        [host, login] if host.starts_with('[') && host.contains(']') && !login.contains("//") => {
            login.split_once(':').map(|(_, value)| value).filter(|value| is_password(value))
        }
        ["rootpw", "--plaintext", value] => is_password(value).then_some(value),
        // `userlist.txt` of PgBouncer
        [user, value] if is_quoted(user) && is_quoted(value) => {
            Some(value.trim_matches('"')).filter(|value| is_likely(value))
        }
        ["ACL", "SETUSER", ref rules @ ..] => {
            rules.iter().find_map(|rule| rule.strip_prefix('>')).filter(|value| random_bits(value) >= 12.0)
        }
        // `chpasswd:` of cloud-init
        [login] if previous == "list: |" => {
            login.split_once(':').map(|(_, value)| value).filter(|value| is_password(value))
        }
        ["bundle", "config", .., login] => {
            login.split_once(':').map(|(_, value)| value).filter(|value| is_likely(value))
        }
        _ => None,
    }
}

fn is_quoted(word: &str) -> bool {
    word.len() > 2 && word.starts_with('"') && word.ends_with('"')
}

/// `key: "…"` below `encryption:`
fn below_parent<'l>(line: &'l str, previous: &str) -> Option<&'l str> {
    let parent = previous.strip_suffix(':')?;
    let is_parent =
        PARENTS.contains(parent.to_ascii_lowercase().as_str()) || names::strength(parent).is_some();
    let (name, value) = line.split_once(": ").filter(|_| is_parent)?;
    let value = value.trim().trim_matches(['"', '\'']);
    let is_value = matches!(name, "key" | "value" | "psk" | "data" | "hash" | "salt");
    (is_value && !value.contains(' ') && is_varied(value) && random_bits(value) >= MIN_BITS).then_some(value)
}
