//! Fonts: the characters of their codes, and their widths.

use std::collections::HashMap;

use super::super::PdfDamage;
use super::super::file::Pdf;
use super::super::object::{Dict, Object};
use super::cmap::{CodeMap, utf16};
use super::glyphs::{BaseEncoding, named};

/// The most widths of a font, repeated codes included.
const MAX_WIDTHS: usize = 0x1_0000;
/// The cost of a code or width, in bytes.
const COST: usize = 16;

#[derive(Debug)]
pub(super) struct Font {
    /// Bytes per code.
    width: usize,
    map: Option<CodeMap>,
    letters: FontEncoding,
    widths: HashMap<u32, f64>,
    usual_width: f64,
}

/// How codes are decoded without a `ToUnicode` map.
#[derive(Debug)]
enum FontEncoding {
    Numbered(BaseEncoding, HashMap<u32, String>),
    /// The codes are UTF-16.
    Utf16,
    Unknown,
}

/// A glyph of a string.
pub(super) struct Glyph {
    pub(super) text: String,
    /// In thousandths of the font's size.
    pub(super) width: f64,
    /// Whether it is a space that word spacing applies to.
    pub(super) is_space: bool,
}

impl Font {
    pub(super) fn read(pdf: &mut Pdf<'_>, dict: &Dict) -> Result<Self, PdfDamage> {
        let map = match dict.get("ToUnicode") {
            Some(Object::Reference(number)) => {
                let found = pdf.get(*number)?;
                pdf.decoded(&found)?.map(|bytes| CodeMap::read(&bytes))
            }
            _ => None,
        };
        let codes = map.as_ref().map_or(0, |map| map.taken);
        let font = if dict.says("Subtype", "Type0") {
            Self::composite(pdf, dict, map)?
        } else {
            Self::simple(pdf, dict, map)?
        };
        // A few bytes can represent many codes, and be read for every word.
        pdf.spend(codes.saturating_add(font.widths.len()).saturating_mul(COST), 0)?;
        Ok(font)
    }

    fn simple(pdf: &mut Pdf<'_>, dict: &Dict, map: Option<CodeMap>) -> Result<Self, PdfDamage> {
        let encoding = pdf.value(dict, "Encoding")?;
        let base = encoding.dict().and_then(|encoding| encoding.get("BaseEncoding")).unwrap_or(&encoding);
        let numbering =
            if base.is_name("MacRomanEncoding") { BaseEncoding::Mac } else { BaseEncoding::Windows };
        let mut names = HashMap::new();
        let differences = match encoding.dict() {
            Some(encoding) => pdf.value(encoding, "Differences")?,
            None => Object::Null,
        };
        if let Object::Array(items) = differences {
            let mut code = 0_u32;
            for item in items.iter().take(1000) {
                match item {
                    Object::Name(name) => {
                        names.insert(code, named(name).unwrap_or_default());
                        code = code.saturating_add(1);
                    }
                    item => code = item.number().and_then(|code| u32::try_from(code).ok()).unwrap_or(code),
                }
            }
        }
        let first =
            pdf.value(dict, "FirstChar")?.number().and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
        let mut widths = HashMap::new();
        if let Object::Array(items) = pdf.value(dict, "Widths")? {
            widths.extend(
                (first..).zip(items.iter().take(256)).filter_map(|(code, width)| Some((code, width.real()?))),
            );
        }
        Ok(Self {
            width: 1,
            map,
            letters: FontEncoding::Numbered(numbering, names),
            widths,
            usual_width: 500.0,
        })
    }

    fn composite(pdf: &mut Pdf<'_>, dict: &Dict, map: Option<CodeMap>) -> Result<Self, PdfDamage> {
        let is_unicode = matches!(dict.get("Encoding"), Some(Object::Name(name)) if name.windows(5).any(|part| part == b"UTF16" || part == b"UCS2-"));
        let letters = if is_unicode { FontEncoding::Utf16 } else { FontEncoding::Unknown };
        let below = match pdf.value(dict, "DescendantFonts")? {
            Object::Array(fonts) => match fonts.first() {
                Some(font) => pdf.resolve(font)?,
                None => Object::Null,
            },
            other => other,
        };
        let below = below.dict().cloned().unwrap_or_default();
        let usual_width = pdf.value(&below, "DW")?.real().unwrap_or(1000.0);
        let mut widths = HashMap::new();
        if let Object::Array(items) = pdf.value(&below, "W")? {
            wide_widths(&items, &mut widths);
        }
        let width = map.as_ref().and_then(|map| map.width).unwrap_or(2).min(4);
        Ok(Self { width, map, letters, widths, usual_width })
    }

    /// The glyphs of a string.
    pub(super) fn glyphs(&self, string: &[u8]) -> Vec<Glyph> {
        let draw = |bytes: &[u8]| {
            let code = bytes.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
            let mapped = self.map.as_ref().and_then(|map| map.get(code)).map(str::to_owned);
            let text = mapped.unwrap_or_else(|| match &self.letters {
                FontEncoding::Numbered(numbering, names) => names
                    .get(&code)
                    .cloned()
                    .unwrap_or_else(|| numbering.letter(u8::try_from(code).unwrap_or(b'?')).to_string()),
                FontEncoding::Utf16 => utf16(bytes),
                FontEncoding::Unknown => String::new(),
            });
            let width = self.widths.get(&code).copied().unwrap_or(self.usual_width);
            Glyph { text, width, is_space: bytes == b" " }
        };
        string.chunks(self.width).map(draw).collect()
    }
}

/// `first [w w w]` and `first last w`, in any order.
fn wide_widths(items: &[Object], widths: &mut HashMap<u32, f64>) {
    let number =
        |item: Option<&Object>| item.and_then(Object::number).and_then(|code| u32::try_from(code).ok());
    let mut rest = items;
    let mut left = MAX_WIDTHS;
    while let Some(first) = number(rest.first()) {
        match rest.get(1) {
            Some(Object::Array(each)) => {
                let each = each.iter().take(0x1_0000);
                widths.extend((first..).zip(each).filter_map(|(code, width)| Some((code, width.real()?))));
                rest = &rest[2..];
            }
            _ => {
                let (Some(last), Some(width)) = (number(rest.get(1)), rest.get(2).and_then(Object::real))
                else {
                    return;
                };
                let before = left;
                left = left.saturating_sub((last.saturating_sub(first) as usize).saturating_add(1));
                widths.extend((first..=last).take(before).map(|code| (code, width)));
                rest = &rest[3..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse::Parser;
    use super::*;

    #[test]
    fn the_same_widths_are_not_taken_in_over_and_over() {
        let text = format!("[1 2 300 {} 70000 70010 2 80000 [4]]", "0 65534 1 ".repeat(2));
        let Some(Object::Array(items)) = Parser::new(text.as_bytes(), 0).object() else { panic!("{text}") };
        let mut widths = HashMap::new();
        wide_widths(&items, &mut widths);
        assert_eq!(
            [1, 2, 70_005, 80_000].map(|code| widths.get(&code).copied()),
            [Some(1.0), Some(1.0), None, Some(4.0)]
        );
    }
}
