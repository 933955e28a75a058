//! Folds words as the tokenizer of the word tables does: case, accents, maximum length.

use crate::extract::as_indexed;

/// Lower-case letters with accents, by their base letter.
const ACCENTED: [(char, &str); 25] = [
    ('a', "àáâãäåāăąǎǟǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ('b', "ḃḅḇ"),
    ('c', "çćĉċčḉ"),
    ('d', "ďḋḍḏḑḓ"),
    ('e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ('f', "ḟ"),
    ('g', "ĝğġģǧǵḡ"),
    ('h', "ĥȟḣḥḧḩḫẖ"),
    ('i', "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩḱḳḵ"),
    ('l', "ĺļľḷḹḻḽ"),
    ('m', "ḿṁṃ"),
    ('n', "ñńņňǹṅṇṉṋ"),
    ('o', "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ('p', "ṕṗ"),
    ('r', "ŕŗřȑȓṙṛṝṟ"),
    ('s', "śŝşšșſṡṣṥṧṩẛ"),
    ('t', "ţťțṫṭṯṱẗ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ('v', "ṽṿ"),
    ('w', "ŵẁẃẅẇẉẘ"),
    ('x', "ẋẍ"),
    ('y', "ýÿŷȳẏẙỳỵỷỹ"),
    ('z', "źżžẑẓẕ"),
];

/// The form of a word that is compared.
pub(super) fn folded(word: &str) -> String {
    if word.is_ascii() {
        return as_indexed(word).to_ascii_lowercase();
    }
    // Lower case first, since a capital may become a letter and a separate accent.
    let small = as_indexed(word).to_lowercase();
    small.chars().filter(|letter| !is_accent(*letter)).map(without_accent).collect()
}

/// Whether a letter is part of words; combining accents are.
pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || is_accent(letter)
}

/// Whether it is a combining accent that the tokenizer removes.
fn is_accent(letter: char) -> bool {
    matches!(letter as u32, 0x300..=0x304 | 0x306..=0x30C | 0x30F | 0x311 | 0x31B | 0x323..=0x328 | 0x32D
        | 0x32E | 0x330 | 0x331)
}

fn without_accent(letter: char) -> char {
    // All letters of the table are in these two ranges, and most others are not.
    if !matches!(letter as u32, 0xE0..=0x24F | 0x1E00..=0x1EFF) {
        return letter;
    }
    let base = ACCENTED.iter().find(|(_, accented)| accented.contains(letter));
    base.map_or(letter, |(base, _)| *base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_what_the_tokenizer_takes_them_for() {
        let tables = rusqlite::Connection::open_in_memory().unwrap();
        tables
            .execute_batch(
                "CREATE VIRTUAL TABLE words USING fts5(body, tokenize=\"unicode61 remove_diacritics 2\");
                 CREATE VIRTUAL TABLE found USING fts5vocab(words, instance);",
            )
            .unwrap();
        let letters: Vec<char> = (0xC0..0x370)
            .chain(0x1E00..0x1F00)
            .filter_map(char::from_u32)
            .filter(|one| is_of_word(*one))
            .collect();
        let mut insert = tables.prepare("INSERT INTO words (rowid, body) VALUES (?1, ?2)").unwrap();
        for letter in &letters {
            insert.execute((*letter as u32, format!("q{letter}q"))).unwrap();
        }
        let mut found = tables.prepare("SELECT term FROM found WHERE doc = ?1").unwrap();
        let mut compared = 0;
        for letter in letters {
            let terms: Vec<String> = found
                .query_map([letter as u32], |row| row.get(0))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            let [term] = terms.as_slice() else { continue };
            // Letters that are newer than the tokenizer's tables keep their case there.
            if !term.to_lowercase().eq(term) {
                continue;
            }
            assert_eq!(folded(&format!("q{letter}q")), *term, "{letter} {:x}", letter as u32);
            compared += 1;
        }
        assert!(compared > 700, "{compared}");
    }
}
