//! Tells words from random strings by pairs of letters: those of English and of identifiers are few and come again and again.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Pairs of letters that make up nine tenths of English text and of names in programs.
const COMMON_PAIRS: &str = "\
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea \
    ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie \
    wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab \
    gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du \
    ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys \
    ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok my gl aw ju oa eq \
    sy sl ps jo lf nv je nk kn gs dy hy ze ks xt dd oj sk ws lk eb wr cs ml sq lp";

/// Bits that a guesser needs for one random letter, and for one random digit.
const LETTER_BITS: f64 = 4.7;
const DIGIT_BITS: f64 = 3.3;
/// Bits of a sign other than a separator.
const SIGN_BITS: f64 = 4.0;

/// The pairs of letters as a set.
#[derive(Clone, Debug)]
pub(super) struct CommonPairs([u32; 26]);

impl CommonPairs {
    pub(super) const fn new() -> Self {
        let (bytes, mut rows, mut at) = (COMMON_PAIRS.as_bytes(), [0; 26], 0);
        while at + 1 < bytes.len() {
            rows[(bytes[at] - b'a') as usize] |= 1 << (bytes[at + 1] - b'a');
            at += 3;
        }
        Self(rows)
    }

    fn has(&self, first: u8, second: u8) -> bool {
        let index = |letter: u8| usize::from(letter.to_ascii_lowercase() - b'a');
        (self.0[index(first)] >> index(second)) & 1 == 1
    }

    /// Whether letters read as a word: at least three fifths of their pairs are common.
    pub(super) fn is_word(&self, letters: &[u8]) -> bool {
        let common = letters.windows(2).filter(|pair| self.has(pair[0], pair[1])).count();
        letters.len() >= 3 && common * 5 >= (letters.len() - 1) * 3
    }
}

static PAIRS: CommonPairs = CommonPairs::new();

/// Words, with a space between any two.
#[derive(Debug)]
pub(super) struct WordList {
    words: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    pub(super) const fn new(words: &'static str) -> Self {
        Self { words, set: OnceLock::new() }
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.set.get_or_init(|| self.words().collect()).contains(word)
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.words.split(' ')
    }
}

/// The parts of a name: at separators, between letters and digits, and where small letters meet capital ones.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        let first = *bytes.get(at)?;
        at += 1;
        if first.is_ascii_digit() {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            return text.get(start..at);
        }
        while bytes.get(at).is_some_and(u8::is_ascii_uppercase) && bytes[at - 1].is_ascii_uppercase() {
            at += 1;
        }
        // `HTTPServer`: the last capital letter begins the next part.
        if at - start > 1 && bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
            at -= 1;
            return text.get(start..at);
        }
        while bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
            at += 1;
        }
        text.get(start..at)
    })
}

/// How many bits of a text are random: what its words do not explain.
pub(super) fn random_bits(text: &str) -> f64 {
    let mut bits = 0.0;
    for part in parts(text) {
        let length = part.len() as f64;
        if part.as_bytes()[0].is_ascii_digit() {
            bits += DIGIT_BITS * length;
        } else if !PAIRS.is_word(part.as_bytes()) {
            bits += LETTER_BITS * length;
        }
    }
    let signs = text.bytes().filter(|byte| byte.is_ascii_punctuation() && !b"-_./:=,".contains(byte)).count();
    bits + SIGN_BITS * signs as f64
}

/// Whether one part of a text is a word of at least this many letters: by chance that is rare where cases and digits are mixed.
pub(super) fn has_word(text: &str, letters: usize) -> bool {
    let is_word = |part: &str| part.as_bytes()[0].is_ascii_alphabetic() && PAIRS.is_word(part.as_bytes());
    parts(text).any(|part| part.len() >= letters && is_word(part))
}

/// Digits that people write in place of letters.
const LETTER_DIGITS: [(u8, u8); 6] =
    [(b'0', b'o'), (b'1', b'i'), (b'3', b'e'), (b'4', b'a'), (b'5', b's'), (b'7', b't')];

/// Whether a word of a text has a digit in place of a letter: `Gran1te`, `m0onlit`. People do so in passwords, and programs do not.
pub(super) fn has_letter_digit(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| {
        let bytes = word.as_bytes();
        let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
        let place = bytes.windows(3).position(|three| {
            three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_lowercase()
        });
        let Some(at) = place.map(|place| place + 1).filter(|_| digits == 1 && word.len() >= 5) else {
            return false;
        };
        let Some((_, letter)) = LETTER_DIGITS.iter().find(|(digit, _)| *digit == bytes[at]) else {
            return false;
        };
        let mut letters = bytes.to_vec();
        letters[at] = *letter;
        let is_algorithm =
            ["md", "sha", "rc", "mp", "h"].iter().any(|name| word[..at].eq_ignore_ascii_case(name));
        !is_algorithm
            && parts(std::str::from_utf8(&letters).unwrap_or_default())
                .all(|part| PAIRS.is_word(part.as_bytes()))
    })
}

/// Words that names of programs are made of, with a number behind them or not.
static NAME_WORDS: WordList = WordList::new(
    "base sha oauth auth http https utf uint int float double vec vector version level type types user users test \
     tests config client server error errors code coder encoder decoder field fields input output table column label \
     text value values name names key keys token tokens password passwords secret login form page view model schema \
     class object string number list map set item index data file files path api url app node step part phase section \
     chapter figure python java web log beta alpha release build provider service manager handler helper util utils \
     module component controller factory interface adapter driver plugin option options settings request response \
     message event state status result record row cell group role policy rule hash digest cipher crypto core common \
     default example sample foo bar baz qux windows win security system linux ubuntu debian fedora office visual android",
);

/// Whether names of programs are made of this word.
pub(super) fn is_name_word(word: &str) -> bool {
    NAME_WORDS.contains(word)
}

/// Whether a text is two words or more with a sign between them and a number behind one, as people make up passwords:
/// `Herbst9_Wolke`.
pub(super) fn is_word_pair(text: &str) -> bool {
    let mut segments = text.split(['_', '-', '.', '!', '#', '+', '*']).filter(|segment| !segment.is_empty());
    let (mut count, mut digits, mut capitals) = (0, 0, 0);
    let all = segments.all(|segment| {
        let letters = segment.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let number = segment.len() - letters.len();
        count += 1;
        digits += usize::from((1..=4).contains(&number));
        capitals += usize::from(letters.starts_with(|first: char| first.is_ascii_uppercase()));
        let is_cased = letters.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
            && letters.starts_with(|first: char| first.is_ascii_alphabetic());
        is_cased
            && (3..=16).contains(&letters.len())
            && number <= 4
            && !NAME_WORDS.contains(letters.to_ascii_lowercase().as_str())
    });
    all && (2..=4).contains(&count) && digits == 1 && capitals > 0 && (9..=40).contains(&text.len())
}

/// Whether the letters of a text are words, however many there are.
pub(super) fn is_words(text: &str) -> bool {
    let letters = |part: &&str| part.as_bytes()[0].is_ascii_alphabetic();
    let (mut words, mut others) = (0, 0);
    for part in parts(text).filter(letters) {
        let is_word = PAIRS.is_word(part.as_bytes());
        *(if is_word { &mut words } else { &mut others }) += part.len();
    }
    words > others * 2
}

/// `required|min:12|confirmed`: rules that a value is checked by.
pub(super) fn is_rules(value: &str) -> bool {
    let is_rule = |rule: &str| {
        let name = rule.split(':').next().unwrap_or(rule);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    value.contains('|') && value.split('|').all(is_rule)
}
