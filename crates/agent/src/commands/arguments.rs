//! Arguments of a custom command, and their placeholders in its text.
//!
//! As in the newest client: `$ARGUMENTS` is the whole, `$ARGUMENTS[0]` and `$0` the first argument. A placeholder without an
//! argument stays, and `\$0` is not a placeholder.

const WHOLE: &str = "$ARGUMENTS";

/// The text after the name of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments<'a> {
    whole: &'a str,
    single: Vec<String>,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(whole: &'a str) -> Self {
        Self { whole, single: split(whole) }
    }

    pub(super) fn whole(&self) -> &'a str {
        self.whole
    }

    /// Fills the placeholders of a text. Returns the text and the number of placeholders.
    pub(super) fn fill(&self, text: &str) -> (String, usize) {
        let (mut out, mut places) = (String::with_capacity(text.len()), 0);
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            let Some((length, value)) = self.place(from) else {
                out.push_str(&rest[..=at]);
                rest = &from[1..];
                continue;
            };
            match before.strip_suffix('\\') {
                Some(before) => {
                    out.push_str(before);
                    out.push_str(&from[..length]);
                }
                None => {
                    out.push_str(before);
                    places += usize::from(value.is_some());
                    out.push_str(value.unwrap_or(&from[..length]));
                }
            }
            rest = &from[length..];
        }
        out.push_str(rest);
        (out, places)
    }

    /// Parses the placeholder at the start of a text: its length and its value, if there is one.
    fn place(&self, text: &str) -> Option<(usize, Option<&str>)> {
        let single = |digits: &str| -> Option<&str> {
            self.single.get(digits.parse::<usize>().ok()?).map(String::as_str)
        };
        if let Some(after) = text.strip_prefix(WHOLE) {
            let index = after.strip_prefix('[').and_then(|inside| inside.split_once(']'));
            let index = index.map(|(index, _)| index).filter(|index| is_number(index));
            return Some(match index {
                Some(index) => (WHOLE.len() + index.len() + 2, single(index)),
                None => (WHOLE.len(), Some(self.whole)),
            });
        }
        let digits =
            text[1..].len() - text[1..].trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let goes_on =
            text[1 + digits..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        (digits > 0 && !goes_on).then(|| (1 + digits, single(&text[1..=digits])))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits arguments like a shell: quotes group words, and so does a backslash before a space.
fn split(whole: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote) = (None::<String>, None::<char>);
    let mut letters = whole.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) if letters.peek().is_some() => {
                word.get_or_insert_default().extend(letters.next());
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_as_in_a_shell() {
        for (whole, words) in [
            ("", &[][..]),
            (" a  b\nc ", &["a", "b", "c"]),
            (r#"'a b' c\ d "e" "" f'g'"#, &["a b", "c d", "e", "", "fg"]),
            (r#"it's open"#, &["its open"]),
            (r"'a\b' \", &[r"a\b", r"\"]),
        ] {
            assert_eq!(split(whole), words, "{whole}");
        }
    }

    #[test]
    fn places_are_filled() {
        let fill = |text: &str, arguments: &str| Arguments::of(arguments).fill(text);
        for (text, arguments, filled, places) in [
            ("all: $ARGUMENTS.", "a \"b c\"", "all: a \"b c\".", 1),
            ("$0-$1 $ARGUMENTS[1]", "a 'b c'", "a-b c b c", 3),
            // What was not given stays, and so does what is no place.
            ("$2 $ARGUMENTS[7] $12 $1x $_ $ 5$", "a b", "$2 $ARGUMENTS[7] $12 $1x $_ $ 5$", 0),
            (r"\$0 \$ARGUMENTS \$x", "a", r"$0 $ARGUMENTS \$x", 0),
            ("$ARGUMENTS[x]", "a", "a[x]", 1),
            ("[$ARGUMENTS]", "", "[]", 1),
            // What is put in is not looked at again.
            ("$0 $1", "'$1' b", "$1 b", 2),
            ("ä$0ö", "a", "ä$0ö", 0),
        ] {
            assert_eq!(fill(text, arguments), (filled.to_owned(), places), "{text}");
        }
    }
}
