//! The places where people and programs leave a token.

/// A context, with `{}` where the token stands.
pub(super) const CONTEXTS: &[(&str, &str)] = &[
    ("prompt", "please use {} for it"),
    ("sentence", "The one that works is {}."),
    ("alone", "{}"),
    ("code", "const client = new Client(\"{}\");"),
    ("shell", "export SERVICE={}"),
    ("json", "{\"value\":\"{}\",\"n\":1}"),
    ("yaml", "service:\n  value: {}\n  port: 1"),
    ("url", "https://api.corp.net/x?q={}&n=1"),
    ("header", "X-Service: {}"),
    ("quoted json", "{\\\"value\\\":\\\"{}\\\"}"),
    ("colour", "value \u{1b}[32m{}\u{1b}[0m done"),
    ("table", "| name | {} | ok |"),
    ("listing", "     3→VALUE={}"),
    ("diff", "+SERVICE={}"),
];

/// How a token is split or wrapped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Disguise {
    /// Not at all.
    None,
    /// Colours inside.
    Terminal,
    /// A character without width inside.
    ZeroWidth,
    /// A line break inside.
    Wrapped,
    JsonEscapes,
    UrlEscapes,
    /// Base64 around it.
    Base64,
    /// A zero byte after each letter.
    Wide,
}

impl Disguise {
    pub(super) const ALL: [Self; 8] = [
        Self::None,
        Self::Terminal,
        Self::ZeroWidth,
        Self::Wrapped,
        Self::JsonEscapes,
        Self::UrlEscapes,
        Self::Base64,
        Self::Wide,
    ];

    pub(super) fn of(self, secret: &str) -> String {
        let half = secret.len() / 2;
        let (head, tail) = secret.split_at(half);
        let escaped = |sign: char| match sign {
            '_' | '-' | '.' | '/' | ':' => format!("\\u{:04x}", u32::from(sign)),
            other => other.to_string(),
        };
        match self {
            Self::None => secret.to_owned(),
            Self::Terminal => format!("{head}\u{1b}[1;31m{tail}\u{1b}[0m"),
            Self::ZeroWidth => format!("{head}\u{200b}{tail}"),
            Self::Wrapped => format!("{head}\n{tail}"),
            Self::JsonEscapes => secret.chars().map(escaped).collect(),
            Self::UrlEscapes => secret
                .chars()
                .map(|sign| {
                    if sign.is_ascii_alphanumeric() {
                        sign.to_string()
                    } else {
                        format!("%{:02X}", u32::from(sign))
                    }
                })
                .collect(),
            Self::Base64 => base64(format!("value: {secret}\n").as_bytes()),
            Self::Wide => secret.chars().flat_map(|sign| [sign, '\0']).collect(),
        }
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// A name, and what wraps a text.
type Wrapping = (&'static str, fn(&str) -> String);

/// How a text of several lines reaches a session.
pub(super) const WRAPPINGS: &[Wrapping] = &[
    ("plain", |text| format!("look:\n{text}\n")),
    ("listing", |text| numbered(&format!("# file\n{text}\n# end"))),
    ("diff", |text| format!("@@ -1,1 +1,9 @@\n{}", prefixed(text, "+"))),
    ("json", |text| {
        format!(
            "{{\"output\":\"look:\\n{}\\nend\"}}",
            text.replace('"', "\\\"").replace('\r', "\\r").replace('\n', "\\n")
        )
    }),
];

fn prefixed(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(at, line)| format!("{:>6}→{line}\n", at + 1)).collect()
}
