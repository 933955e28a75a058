//! Quotation marks: models write straight ones where a file has curly ones.

use std::ops::Range;

/// Returns the straight form of a quotation mark, or the character itself.
fn straight(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    }
}

/// Returns the places where a text is, whatever the form of its quotation marks.
pub(super) fn find(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let is_quoted = |text: &str| text.contains(['\'', '"', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}']);
    if !is_quoted(wanted) {
        return Vec::new();
    }
    // Straight marks have one byte and curly ones three: each byte of the plain text knows where it came from.
    let (mut plain, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (at, letter) in text.char_indices() {
        let letter = straight(letter);
        plain.push(letter);
        places.extend((0..letter.len_utf8()).map(|_| at));
    }
    places.push(text.len());
    let wanted: String = wanted.chars().map(straight).collect();
    plain.match_indices(&wanted).map(|(at, found)| places[at]..places[at + found.len()]).collect()
}

/// Returns a new text with the quotation marks of the one that it replaces: curly where that one has curly marks only.
pub(super) fn like(new: &str, wanted: &str, found: &str) -> String {
    if wanted == found {
        return new.to_owned();
    }
    let has_curly = |marks: [char; 2]| found.contains(marks);
    let (single, double) = (has_curly(['\u{2018}', '\u{2019}']), has_curly(['\u{201c}', '\u{201d}']));
    let mut out = String::with_capacity(new.len());
    let mut before = None;
    for letter in new.chars() {
        let opens = before.is_none_or(|before: char| before.is_whitespace() || "([{—–-".contains(before));
        out.push(match letter {
            '\'' if single && opens => '\u{2018}',
            '\'' if single => '\u{2019}',
            '"' if double && opens => '\u{201c}',
            '"' if double => '\u{201d}',
            other => other,
        });
        before = Some(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_marks_find_curly_ones() {
        let text = "é “a” ‘b’ it’s \"c\"";
        let found =
            |wanted: &str| find(text, wanted).into_iter().map(|place| &text[place]).collect::<Vec<_>>();
        assert_eq!(found("\"a\" 'b' it's"), ["“a” ‘b’ it’s"]);
        assert_eq!(found("“c”"), ["\"c\""]);
        assert!(found("a").is_empty() && found("\"d\"").is_empty());
    }

    #[test]
    fn what_is_put_in_keeps_the_marks_of_the_file() {
        assert_eq!(like("say \"x\"", "\"a\"", "“a”"), "say “x”");
        assert_eq!(like("it's 'so'", "it's", "it’s"), "it’s ‘so’");
        assert_eq!(like("\"x\"", "\"a\"", "\"a\""), "\"x\"");
        assert_eq!(like("\"x\"", "it's", "it’s"), "\"x\"");
    }
}
