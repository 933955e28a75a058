//! The words of languages, as tables that are made once.

use std::sync::{PoisonError, RwLock};

use super::{Language, TokenKind};

/// A power of two: most places hold one word or none.
const PLACES: usize = 256;

/// Address and length of the lists of a language.
type TableKey = [(usize, usize); 2];

/// The words of a language, and what they are.
#[derive(Debug)]
pub(super) struct WordTable {
    places: Vec<Vec<(&'static str, TokenKind)>>,
}

impl WordTable {
    /// Returns the table of a language.
    pub(super) fn of(language: &Language) -> &'static Self {
        /// The lists by their addresses: there are as many as languages.
        static TABLES: RwLock<Vec<(TableKey, &WordTable)>> = RwLock::new(Vec::new());
        let key = [language.keywords, language.types].map(|list| (list.as_ptr() as usize, list.len()));
        let find = |tables: &[(TableKey, &'static Self)]| {
            tables.iter().find(|(known, _)| *known == key).map(|(_, table)| *table)
        };
        if let Some(table) = find(&TABLES.read().unwrap_or_else(PoisonError::into_inner)) {
            return table;
        }
        let mut tables = TABLES.write().unwrap_or_else(PoisonError::into_inner);
        find(&tables).unwrap_or_else(|| {
            let table: &'static Self = Box::leak(Box::new(Self::new(language.keywords, language.types)));
            tables.push((key, table));
            table
        })
    }

    fn new(keywords: &'static str, types: &'static str) -> Self {
        let mut places = vec![Vec::new(); PLACES];
        for (list, kind) in [(keywords, TokenKind::Keyword), (types, TokenKind::Type)] {
            for word in list.split(' ').filter(|word| !word.is_empty()) {
                places[place(word)].push((word, kind));
            }
        }
        Self { places }
    }

    /// Returns what a word is; a keyword that is also a type is a keyword.
    pub(super) fn kind(&self, word: &str) -> Option<TokenKind> {
        self.places[place(word)].iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }
}

/// Where a word stands: words of one length that begin and end alike are rare.
fn place(word: &str) -> usize {
    let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
    let bytes = word.as_bytes();
    (byte(bytes.first()) * 31 + byte(bytes.last()) * 7 + bytes.len() * 13) % PLACES
}
