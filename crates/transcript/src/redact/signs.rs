//! How a name and its value are joined: by a sign, a space, a comma, a tag, a line break, a verb.

use std::ops::Range;

use super::assign::{MAX_GAP_BYTES, MAX_VALUE_BYTES};
use super::haystack::{Alphabet, Haystack};
use super::names;
use super::sentences::after_verb;
use super::values::Notation;
use super::words::WordList;

/// How far the default of a variable of Terraform is from its name.
const MAX_BLOCK_BYTES: usize = 240;
/// Maximum bytes of a tag.
const MAX_TAG_BYTES: usize = 64;
/// How much of a line before a name is looked at.
const MAX_LEAD_BYTES: usize = 64;
/// Words before a name that is set to the next word.
static SETTERS: WordList = WordList::new(
    "env arg set setenv export declare config configure setx -x -gx --secret -ux -lx --add --replace-all \
     proxy_set_header fastcgi_param add_header",
);

/// The signs that join a name and a value, the longest first; what follows belongs to the value: `KEY=+9Eq…==`.
const SIGNS: [&str; 14] = ["||=", "===", ":::", "::", ":=", "=>", "?=", "+=", "==", "||", "=", ":", ">", "|"];

/// Whether a value must be in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    Any,
    Needed,
    Refused,
}

/// What a value needs to be a secret, besides what its name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing.
    Name,
    /// It is not a plain word.
    NoWord,
    /// Its name surely announces a secret.
    SureName,
    /// It is as mixed as only a secret is: nothing but a space joins it to its name.
    Mixed,
}

/// Where a value begins, and what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueStart {
    pub(super) at: usize,
    pub(super) notation: Notation,
    pub(super) quotes: Quotes,
    pub(super) proof: Proof,
}

impl ValueStart {
    /// Where the value of a name begins.
    pub(super) fn of(hay: &Haystack<'_>, name: &str, span: &Range<usize>) -> Option<Self> {
        let closed = hay.skip(span.end, 3, |byte| b"\"'`]?".contains(&byte));
        let gap = hay.skip(closed, MAX_GAP_BYTES, is_blank);
        let rest = hay.bytes.get(gap..).unwrap_or_default();
        let signs = SIGNS.into_iter().find(|signs| rest.starts_with(signs.as_bytes())).unwrap_or_default();
        let sign = gap + signs.len();
        // `AWS::IAM::AccessKey`, `arn:…:secret:name`: a part of a longer name.
        // `profile::db::password: value` is a key of YAML.
        let is_key = is_blank(hay.byte(sign))
            && closed == span.end
            && !name.bytes().any(|byte| byte.is_ascii_uppercase());
        if hay.before(span.start) == b':' && signs.starts_with(':') && !is_key {
            return None;
        }
        if signs.is_empty() && matches!(hay.byte(gap), b'?' | b'+') {
            return None;
        }
        if signs.is_empty() {
            return without_sign(hay, name, span, closed, gap);
        }
        let at = hay.skip(sign, MAX_GAP_BYTES, is_blank);
        let is_tight = gap == closed && at == sign;
        let is_shell = is_flag(hay, name, span.start) || is_shell_name(name);
        let is_plain_flag = name.starts_with('-') && !name.starts_with("--");
        let start = match signs {
            // `<name>value`, `<x name="password">value`
            ">" if hay.before(span.start) == b'<' || closed > span.end => {
                Self { quotes: Quotes::Refused, ..Self::bare(inside_tag(hay, at)) }
            }
            "|" if is_cell(hay, span.start) => Self { proof: Proof::Mixed, ..Self::bare(at) },
            "=" if is_tight && (is_shell || is_setting(hay, span.start, at)) => {
                let proof = if is_plain_flag { Proof::NoWord } else { Proof::Name };
                Self { notation: Notation::Shell, proof, ..Self::bare(at) }
            }
            ":" if names::is_environment(name) => Self { notation: Notation::Quoted, ..Self::bare(at) },
            ":" | "=" | ":=" | "=>" | "?=" | "+=" | "||=" => Self::bare(at),
            "==" | "===" | "::" | ":::" if is_quote(hay.byte(at)) => Self::bare(at),
            _ => return None,
        };
        Some(start.after_type(hay, signs).after_break(hay))
    }

    fn bare(at: usize) -> Self {
        Self { at, notation: Notation::Bare, quotes: Quotes::Any, proof: Proof::Name }
    }

    /// `name: Type = "value"`
    fn after_type(self, hay: &Haystack<'_>, signs: &str) -> Self {
        match typed(hay, self.at).filter(|_| signs == ":") {
            Some(at) => Self { at, notation: Notation::Quoted, ..self },
            None => self,
        }
    }

    /// A string on the next line, and `|`, `>-` of YAML with the text below.
    fn after_break(self, hay: &Haystack<'_>) -> Self {
        let mark = hay.skip(self.at, 3, |byte| b"|>-+".contains(&byte));
        let line_end = hay.skip(mark, 8, |byte| byte == b' ' || byte == b'\r');
        if hay.byte(line_end) != b'\n' {
            return self;
        }
        let next = hay.skip(line_end + 1, MAX_GAP_BYTES, |byte| is_blank(byte) || byte == b'+');
        if let Some(at) = dumped(hay, next).filter(|_| mark == self.at) {
            return Self { at, notation: Notation::Quoted, ..self };
        }
        let is_block = mark > self.at && b"|>".contains(&hay.byte(self.at)) && next > line_end + 1;
        match is_block || mark == self.at && is_quote(hay.byte(next)) {
            true => Self { at: next, notation: Notation::Quoted, ..self },
            false => self,
        }
    }
}

/// Where the text begins in `string(20) "value"`, as PHP shows it below a name.
fn dumped(hay: &Haystack<'_>, at: usize) -> Option<usize> {
    let digits = hay.bytes.get(at..)?.starts_with(b"string(").then_some(at + 7)?;
    let end = hay.skip(digits, 6, |byte| byte.is_ascii_digit());
    hay.bytes.get(end..)?.starts_with(b") \"").then_some(end + 2)
}

/// A value that no sign joins to its name.
fn without_sign(
    hay: &Haystack<'_>,
    name: &str,
    span: &Range<usize>,
    closed: usize,
    gap: usize,
) -> Option<ValueStart> {
    let bare = ValueStart::bare(gap);
    let is_closed = closed > span.end;
    if is_flag(hay, name, span.start) && !is_closed && gap > closed {
        return Some(ValueStart { notation: Notation::Shell, proof: Proof::NoWord, ..bare });
    }
    match hay.byte(gap) {
        // A pass of a compiler is no password.
        b'(' if name.to_ascii_lowercase().ends_with("_pass") => return None,
        b'(' => {
            return Some(ValueStart {
                at: gap + 1,
                notation: Notation::Quoted,
                quotes: Quotes::Needed,
                ..bare
            });
        }
        // `("NAME", "value")`
        b',' if is_closed => {
            if let Some(at) = value_beside(hay, gap) {
                return Some(ValueStart { at, notation: Notation::Quoted, quotes: Quotes::Needed, ..bare });
            }
            let at = hay.skip(gap + 1, MAX_GAP_BYTES, |byte| byte.is_ascii_whitespace());
            return Some(ValueStart { at, quotes: Quotes::Needed, proof: Proof::Mixed, ..bare });
        }
        // `{api_key,<<"value">>}` of Erlang, `ParameterKey=NAME,ParameterValue=value`
        b',' => {
            let rest = hay.text.get(gap..).unwrap_or_default();
            let is_tuple = hay.before(span.start) == b'{';
            let prefixes = [",<<", ", <<", ",ParameterValue=", ", ", ","];
            // `{password, "value"}` of Erlang
            let is_here = |prefix: &&str| rest.starts_with(prefix) && (prefix.len() > 2 || is_tuple);
            let prefix = prefixes.into_iter().find(is_here)?;
            let quotes = if prefix.ends_with('=') { Quotes::Any } else { Quotes::Needed };
            return Some(ValueStart { at: gap + prefix.len(), notation: Notation::Quoted, quotes, ..bare });
        }
        // `(password . "value")` of Lisp
        b'.' if hay.byte(gap + 1) == b' ' && gap > closed => {
            return Some(ValueStart {
                at: gap + 2,
                notation: Notation::Quoted,
                quotes: Quotes::Needed,
                ..bare
            });
        }
        // `read PASS <<< 'value'`
        b'<' if hay.text[gap..].starts_with("<<<") => {
            let at = hay.skip(gap + 3, MAX_GAP_BYTES, is_blank);
            return Some(ValueStart { at, proof: Proof::Mixed, ..bare });
        }
        b'{' if is_closed => return default_of(hay, gap),
        b'-' if hay.byte(gap + 1) == b'>' && gap > closed => {
            let at = hay.skip(gap + 2, MAX_GAP_BYTES, is_blank);
            return Some(ValueStart { at, proof: Proof::Mixed, ..bare });
        }
        _ => {}
    }
    // A field of a form: an empty line, and the value.
    let at = hay.skip(closed, 8, |byte| b"\r\n+".contains(&byte));
    if is_closed && hay.bytes[closed..at].iter().filter(|&&byte| byte == b'\n').count() >= 2 {
        return Some(ValueStart { at, notation: Notation::Quoted, ..bare });
    }
    if let Some(at) = after_tag(hay, span.start, closed) {
        return Some(ValueStart { at, notation: Notation::Quoted, quotes: Quotes::Refused, ..bare });
    }
    if let Some(at) = after_verb(hay, gap) {
        return Some(ValueStart { at, ..bare });
    }
    let is_set = is_after_setter(hay, span.start);
    // "Pass `x` to it" is a sentence.
    let is_near = gap > closed && !is_closed && !name.eq_ignore_ascii_case("pass");
    match hay.byte(gap) {
        byte if is_near && is_quote(byte) => {
            Some(ValueStart { quotes: Quotes::Needed, proof: Proof::SureName, ..bare })
        }
        b'N' if is_near && hay.byte(gap + 1) == b'\'' => {
            Some(ValueStart { at: gap + 1, quotes: Quotes::Needed, ..bare })
        }
        _ if is_near && is_set => {
            Some(ValueStart { notation: Notation::Quoted, proof: Proof::NoWord, ..bare })
        }
        _ if is_near && is_aligned(hay, span.start, closed..gap) => Some(bare),
        _ if is_near => Some(ValueStart { proof: Proof::Mixed, ..bare }),
        _ => None,
    }
}

/// Where the value begins in `<key>name</key><string>value`, and in `<x:name type="…">value`.
fn after_tag(hay: &Haystack<'_>, start: usize, closed: usize) -> Option<usize> {
    let rest = &hay.bytes[closed..];
    if rest.starts_with(b"</") && hay.before(start) == b'>' {
        let end = hay.skip(closed, MAX_TAG_BYTES, |byte| byte != b'>');
        let tag = hay.skip(end + 1, MAX_GAP_BYTES, |byte| byte.is_ascii_whitespace() || byte == b'+');
        let tag_end = hay.skip(tag, MAX_TAG_BYTES, |byte| byte != b'>' && byte != b'\n');
        let is_open = hay.byte(tag) == b'<' && hay.byte(tag + 1).is_ascii_alphabetic();
        return (is_open && hay.byte(tag_end) == b'>').then_some(tag_end + 1);
    }
    let name = hay.back(start, 16, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    let end = hay.skip(closed, MAX_TAG_BYTES, |byte| byte != b'>' && byte != b'<' && byte != b'\n');
    let has_attribute = hay.bytes[closed..end].contains(&b'=') && hay.before(end) != b'/';
    let is_tag = hay.before(name) == b'<' && hay.byte(closed) == b' ' && has_attribute;
    (is_tag && hay.byte(end) == b'>').then_some(end + 1)
}

/// Where the text begins in `<name><Value>text`.
fn inside_tag(hay: &Haystack<'_>, start: usize) -> usize {
    let at = hay.skip(start, MAX_GAP_BYTES, |byte| byte.is_ascii_whitespace());
    let end = hay.skip(at, MAX_TAG_BYTES, |byte| byte != b'>' && byte != b'\n');
    let is_tag = hay.byte(at) == b'<' && hay.byte(at + 1).is_ascii_alphabetic() && hay.byte(end) == b'>';
    if is_tag { end + 1 } else { start }
}

/// Whether a name is a flag: `--token`, `-Password`.
fn is_flag(hay: &Haystack<'_>, name: &str, start: usize) -> bool {
    let is_word_start =
        matches!(hay.before(start), b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'`' | b'(' | b'[' | 0);
    name.starts_with("--") || name.starts_with('-') && name.len() > 3 && is_word_start
}

/// Whether a name without quotes and spaces around its `=` is one of a shell or an env file.
fn is_shell_name(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a line is nothing but `name=value`, as in a file of settings.
fn is_setting(hay: &Haystack<'_>, start: usize, at: usize) -> bool {
    let lead = hay.back(start, 2, |byte| byte != b'\n');
    let is_first = hay.bytes[lead..start].iter().all(|byte| b"+".contains(byte)) && start - lead < 2;
    let end = hay.end(at, Alphabet::Argument);
    is_first
        && matches!(hay.byte(end), b'\n' | b'\r' | 0)
        && hay.bytes[at..end.min(at + MAX_VALUE_BYTES)]
            .iter()
            .any(|byte| !byte.is_ascii_lowercase() && *byte != b'_')
        && !matches!(hay.before(end), b',' | b';' | b')')
}

/// Whether a name stands in a cell of a table.
pub(super) fn is_cell(hay: &Haystack<'_>, start: usize) -> bool {
    hay.before(hay.back(start, 8, |byte| is_blank(byte) || byte == b'`' || byte == b'*')) == b'|'
}

/// Whether a name begins its line, and its value stands alone in a column: `password      value`.
fn is_aligned(hay: &Haystack<'_>, start: usize, blank: Range<usize>) -> bool {
    let lead = hay.back(start, MAX_LEAD_BYTES, |byte| byte != b'\n');
    let is_wide = blank.len() >= 2 || hay.byte(blank.start) == b'\t';
    let end = hay.end(blank.end, Alphabet::Argument);
    is_wide
        && hay.bytes[lead..start].iter().all(|byte| is_blank(*byte))
        && matches!(hay.byte(end), b'\n' | b'\r' | 0)
}

/// Whether the word before a name sets it: `ENV NAME value`.
fn is_after_setter(hay: &Haystack<'_>, start: usize) -> bool {
    let lead = hay.back(start, MAX_LEAD_BYTES, |byte| byte != b'\n');
    let lead = String::from_utf8_lossy(&hay.bytes[lead..start]).to_ascii_lowercase();
    // `npm config set //host/:_authToken value`
    let lead = lead.trim_end_matches(|sign: char| !sign.is_ascii_whitespace() && lead.ends_with("/:"));
    let is_apart = lead.ends_with(|sign: char| sign.is_ascii_whitespace());
    let word = lead.split_ascii_whitespace().next_back().unwrap_or_default();
    is_apart && SETTERS.contains(word.trim_start_matches(['+', '#', '$', '>']))
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_quote(byte: u8) -> bool {
    b"\"'`".contains(&byte)
}

/// `variable "name" { … default = "value" }`
fn default_of(hay: &Haystack<'_>, brace: usize) -> Option<ValueStart> {
    let end = hay.skip(brace, MAX_BLOCK_BYTES, |byte| byte != b'}');
    let word = memchr::memmem::find(&hay.bytes[brace..end], b"default")? + brace + 7;
    let sign = hay.skip(word, 16, is_blank);
    let at = hay.skip(sign, 3, |byte| byte == b'=' || is_blank(byte));
    let bare = ValueStart::bare(at);
    (hay.byte(sign) == b'=').then_some(ValueStart { quotes: Quotes::Needed, ..bare })
}

/// Where the value begins in `"key":"password", "type":"text", "value":"…"`.
fn value_beside(hay: &Haystack<'_>, at: usize) -> Option<usize> {
    let end = hay.skip(at, MAX_BLOCK_BYTES, |byte| !b"{}[]".contains(&byte));
    let fields = &hay.bytes[at..end];
    let word =
        memchr::memmem::find(fields, b"value\"").or_else(|| memchr::memmem::find(fields, b"Value\""))?;
    let name = hay.back(at + word, 16, |byte| byte.is_ascii_alphabetic());
    let sign = hay.skip(at + word + 6, 4, |byte| byte == b' ');
    let start = hay.skip(sign + 1, MAX_GAP_BYTES, is_blank);
    let is_field = hay.before(name) == b'"' && hay.byte(sign) == b':' && is_quote(hay.byte(start));
    is_field.then_some(start)
}

/// Where the value begins in `name: Type = "value"`.
fn typed(hay: &Haystack<'_>, at: usize) -> Option<usize> {
    let kind = hay.skip(at, 48, |byte| byte.is_ascii_alphanumeric() || b"_<>&:?'. []".contains(&byte));
    let start = hay.skip(kind, 2, |byte| byte == b'=' || byte == b' ');
    (kind > at && hay.byte(kind) == b'=' && is_quote(hay.byte(start))).then_some(start)
}

/// The value at a position, and whether it is quoted.
pub(super) fn literal(hay: &Haystack<'_>, start: usize) -> Option<(Range<usize>, bool)> {
    let prefix = hay.skip(start, 2, |byte| b"rbfuLN@$".contains(&byte));
    let opening = if is_quote(hay.byte(prefix)) { prefix } else { start };
    let alphabet = match hay.byte(opening) {
        b'"' => Alphabet::DoubleQuoted,
        b'\'' => Alphabet::SingleQuoted,
        b'`' => Alphabet::BackQuoted,
        _ => Alphabet::Bare,
    };
    if alphabet != Alphabet::Bare {
        let end = hay.end(opening + 1, alphabet);
        let is_closed = hay.byte(end) == hay.byte(opening) && end - opening <= MAX_VALUE_BYTES;
        return is_closed.then_some((opening + 1..end, true));
    }
    let end = hay.end(start, Alphabet::Bare).min(start + MAX_VALUE_BYTES);
    let bare = hay.text.get(start..end)?;
    // `{value}` of ODBC, `[[value]]` of Lua.
    for (open, close) in [("{", "}"), ("[[", "]]")] {
        let is_end = open == "[[" || matches!(hay.byte(end), b';' | b'\n' | 0);
        if let Some(inside) =
            bare.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).filter(|_| is_end)
        {
            return Some((start + open.len()..start + open.len() + inside.len(), true));
        }
    }
    let cut = bare.find('<').unwrap_or(bare.len()).min(next_parameter(bare));
    // A full stop or a bracket ends the sentence, not the secret.
    let bare = bare[..cut].trim_end_matches(['.', ')', ']', '}', '>', '\\', ':']);
    Some((start..start + bare.len(), false))
}

/// Where `&name=` begins, as in a query.
fn next_parameter(value: &str) -> usize {
    let is_name = |rest: &str| {
        let name = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-.".contains(letter));
        name.is_some_and(|end| end > 0 && rest[end..].starts_with('='))
    };
    let mut hits = value.match_indices('&').take(8);
    hits.find(|(at, _)| is_name(&value[at + 1..])).map_or(value.len(), |(at, _)| at)
}
