//! Characters by their glyph names.

/// Glyph names that are longer than their character.
const NAMES: [(&str, &str); 78] = [
    ("space", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("minus", "-"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("asciicircum", "^"),
    ("underscore", "_"),
    ("grave", "`"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotesinglbase", "‚"),
    ("quotedblbase", "„"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("endash", "–"),
    ("emdash", "—"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("dagger", "†"),
    ("section", "§"),
    ("paragraph", "¶"),
    ("degree", "°"),
    ("copyright", "©"),
    ("registered", "®"),
    ("trademark", "™"),
    ("Euro", "€"),
    ("sterling", "£"),
    ("germandbls", "ß"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("ff", "ff"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("nbspace", " "),
];

/// Accents, with letters and the combined characters.
const ACCENTS: [(&str, &str); 8] = [
    ("grave", "AÀEÈIÌOÒUÙaàeèiìoòuù"),
    ("acute", "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýcćnńsśzź"),
    ("circumflex", "AÂEÊIÎOÔUÛaâeêiîoôuû"),
    ("tilde", "AÃNÑOÕaãnñoõ"),
    ("dieresis", "AÄEËIÏOÖUÜaäeëiïoöuüyÿ"),
    ("ring", "AÅaåUŮuů"),
    ("cedilla", "CÇcçSŞsş"),
    ("caron", "CČcčEĚeěRŘrřSŠsšZŽzž"),
];

/// The upper half of Mac Roman.
const MAC: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// The characters that Windows-1252 adds to Latin-1.
const WINDOWS: &str = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ";

/// The base encoding of a font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseEncoding {
    Windows,
    Mac,
}

impl BaseEncoding {
    pub(super) fn letter(self, code: u8) -> char {
        match (self, code) {
            (_, ..=0x7f) => char::from(code),
            (Self::Windows, 0x80..=0x9f) => WINDOWS.chars().nth(usize::from(code - 0x80)).unwrap_or('•'),
            (Self::Windows, _) => char::from(code),
            (Self::Mac, _) => MAC.chars().nth(usize::from(code - 0x80)).unwrap_or('•'),
        }
    }
}

/// The characters of a glyph name.
pub(super) fn named(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    // A suffix after a dot is a variant of the glyph.
    let name = name.split('.').next().filter(|name| !name.is_empty())?;
    if let Some((_, text)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some((*text).to_owned());
    }
    let mut letters = name.chars();
    let first = letters.next()?;
    let rest = letters.as_str();
    if rest.is_empty() {
        return Some(first.to_string());
    }
    if let Some((_, pairs)) = ACCENTS.iter().find(|(accent, _)| *accent == rest) {
        let pairs: Vec<_> = pairs.chars().collect();
        return pairs.chunks(2).find(|pair| pair[0] == first).map(|pair| pair[1].to_string());
    }
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    let digits = if name.starts_with("uni") { digits.get(..4)? } else { digits };
    u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters() {
        let name = |text: &str| named(text.as_bytes()).unwrap_or_default();
        for (from, to) in [
            ("A", "A"),
            ("seven", "7"),
            ("eacute", "é"),
            ("Udieresis", "Ü"),
            ("fi", "fi"),
            ("uni20AC", "€"),
            ("u1F600", "😀"),
            ("a.alt", "a"),
            (".notdef", ""),
            ("nonsense", ""),
            ("grave", "`"),
        ] {
            assert_eq!(name(from), to, "{from}");
        }
    }

    #[test]
    fn numbers_are_letters() {
        assert_eq!(MAC.chars().count(), 128);
        assert_eq!(WINDOWS.chars().count(), 32);
        assert_eq!(
            [0x41, 0x80, 0x96, 0xe4].map(|code| BaseEncoding::Windows.letter(code)),
            ['A', '€', '–', 'ä']
        );
        assert_eq!([0x80, 0x8a, 0xd0, 0xff].map(|code| BaseEncoding::Mac.letter(code)), ['Ä', 'ä', '–', 'ˇ']);
    }
}
