//! Random values after a template, from a seed: whole secrets in the source would set off every scanner that reads it.

use super::contexts::base64;

/// Words as wallets and people put together for a passphrase.
const WORDS: &str = "abandon ability absorb abstract accident acoustic actress adapt balcony bamboo banner barrel \
    cabbage cactus camera candy dawn debris decade deer eager easily echo elbow fabric faculty falcon fancy galaxy \
    gallery garlic gather habit hammer harvest hawk idle immense impact income jaguar jealous jelly jungle kangaroo \
    kidney kitten ladder lawsuit lemon lizard machine magnet mango maple naive napkin neglect nephew oblige obtain \
    ocean olive oxygen paddle";

/// A small generator of random numbers, the same on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    fn text(&mut self, letters: &str, count: usize) -> String {
        let letters = letters.as_bytes();
        (0..count).map(|_| char::from(letters[self.below(letters.len())])).collect()
    }

    /// `w`: words of a passphrase. `W`: words, digits and a sign, as people put a password together. `H`: two
    /// words with a digit and a sign. `X`: a password of any of twelve shapes. `B`: lines of base64 in which a
    /// token stands.
    fn words(&mut self, class: &str, count: usize) -> Option<String> {
        let pick = |random: &mut Self| WORDS.split(' ').nth(random.below(64)).unwrap();
        match class {
            "w" => Some((0..count).map(|_| pick(self)).collect::<Vec<_>>().join(" ")),
            "W" => {
                let titled = |word: &str| word[..1].to_uppercase() + &word[1..];
                let words: String = (0..count).map(|_| titled(pick(self))).collect();
                Some(words + &self.text("23456789", 4) + &self.text("!#?$", 1))
            }
            "H" => {
                let titled = |word: &str| word[..1].to_uppercase() + &word[1..];
                let (first, digit) = (titled(pick(self)), self.text("23456789", 1));
                let sign = self.text("_-.", 1);
                Some(format!("{first}{digit}{sign}{}", titled(pick(self))))
            }
            "X" => Some(self.password(pick)),
            "B" => {
                let filler: String = (0..count * 6).map(|_| pick(self).to_owned() + ": yes\n").collect();
                let text = format!("{filler}value: ghp_{}\n{filler}", self.fill("<A36>"));
                let digits = base64(text.as_bytes());
                let lines: Vec<_> =
                    digits.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
                Some(lines.join("\n"))
            }
            _ => None,
        }
    }

    /// A password as people choose, or as their programs generate them.
    fn password(&mut self, pick: fn(&mut Self) -> &'static str) -> String {
        let titled = |word: &str| word[..1].to_uppercase() + &word[1..];
        let shape = self.below(12);
        let (one, two, three) = (pick(self), pick(self), pick(self));
        let (digits, sign) = (self.text("0123456789", 2 + self.0 as usize % 3), self.text("!#?$*+@", 1));
        let as_digits = |word: &str| word.replace('a', "4").replace('e', "3").replace('o', "0");
        match shape {
            0 => format!("{one}{digits}"),
            1 => format!("{}{digits}{sign}", titled(one)),
            2 => format!("{}{sign}{two}{}", as_digits(one), &digits[..1]),
            3 => format!("{one}-{two}-{three}-{digits}"),
            4 => format!("{}{sign}{}{}", titled(one), titled(two), &digits[..1]),
            5 => format!("{one}_{}_{digits}", titled(two)),
            6 => format!("{one}{sign}{two}"),
            7 => format!("{}{}{}", as_digits(&titled(one)), as_digits(&titled(two)), &digits[..1]),
            8 => self.fill("<p10>"),
            9 => self.fill("<A12>"),
            10 => self.fill("<l10>"),
            _ => self.fill("<p16>"),
        }
    }

    /// Fills a template: `<A36>` is 36 letters and digits, and so on.
    pub(super) fn fill(&mut self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('<') {
            out.push_str(before);
            // A tag of XML is no class.
            let class = after
                .split_once('>')
                .and_then(|(class, after)| Some((class, after, class.get(1..)?.parse().ok()?)));
            let Some((class, after, count)) = class else {
                out.push('<');
                rest = after;
                continue;
            };
            if let Some(text) = self.words(&class[..1], count) {
                out.push_str(&text);
                rest = after;
                continue;
            }
            let letters = match &class[..1] {
                "A" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "t" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
                "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
                "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
                "s" => "abcdefghijklmnopqrstuvwxyz",
                "h" => "0123456789abcdef",
                "d" => "0123456789",
                "q" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
                "e" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
                "p" => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!@#%^*",
                other => panic!("no such class: {other}"),
            };
            out.push_str(&self.text(letters, count));
            rest = after;
        }
        out + rest
    }
}
