//! The pages of a document in their order, with inherited attributes.

use std::collections::HashSet;
use std::rc::Rc;

use super::file::Pdf;
use super::object::{Dict, Object};
use super::{PdfDamage, PdfError};

/// Attributes that a page inherits.
const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];
/// The deepest page tree.
const MAX_DEPTH: usize = 50;

pub(super) struct PdfPage {
    /// Its object number.
    pub(super) number: u32,
    inherited: InheritedValues,
}

/// Inherited values in the order of the names; shared, since many pages may inherit one large value.
type InheritedValues = [Option<Rc<Object>>; INHERITED.len()];

impl PdfPage {
    /// Its dictionary, with inherited values.
    pub(super) fn dict(&self, pdf: &mut Pdf<'_>) -> Result<Dict, PdfDamage> {
        let found = pdf.get(self.number)?;
        let Some(own) = found.object.dict() else { return Ok(Dict::default()) };
        let mut own = own.clone();
        for (key, value) in INHERITED.iter().zip(&self.inherited) {
            if let (None, Some(value)) = (own.get(key), value) {
                own.0.push((key.as_bytes().to_vec(), Object::clone(value)));
            }
        }
        Ok(own)
    }
}

pub(super) fn all(pdf: &mut Pdf<'_>) -> Result<Vec<PdfPage>, PdfError> {
    let root = pdf.root()?;
    let Some(Object::Reference(top)) = root.get("Pages") else { return Err(PdfDamage::NoPages.into()) };
    let mut pages = Vec::new();
    // Nodes to visit, the next one last: number, depth, inherited values.
    let mut waiting = vec![(*top, 0, InheritedValues::default())];
    let mut visited = HashSet::new();
    while let Some((number, depth, inherited)) = waiting.pop() {
        if depth > MAX_DEPTH {
            return Err(PdfDamage::TooMuch.into());
        }
        if !visited.insert(number) {
            continue;
        }
        let found = pdf.get(number)?;
        let Some(own) = found.object.dict() else { continue };
        let Object::Array(kids) = pdf.value(own, "Kids")? else {
            pages.push(PdfPage { number, inherited });
            continue;
        };
        let mut handed_down = inherited;
        for (key, slot) in INHERITED.iter().zip(&mut handed_down) {
            if let Some(value) = own.get(key) {
                *slot = Some(Rc::new(value.clone()));
            }
        }
        pdf.spend(0, kids.len())?;
        let kid = |kid: &Object| match kid {
            Object::Reference(number) => Some((*number, depth + 1, handed_down.clone())),
            _ => None,
        };
        waiting.extend(kids.iter().rev().filter_map(kid));
    }
    if pages.is_empty() { Err(PdfDamage::NoPages.into()) } else { Ok(pages) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inherited_is_not_copied() {
        let text = "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R 4 0 R]/Rotate 90/Resources<</A 1>>>>endobj
            3 0 obj<</Kids[5 0 R]/Rotate 0/Rotate 1>>endobj 4 0 obj<</Kids[6 0 R]>>endobj 5 0 obj<<>>endobj
            6 0 obj<</Rotate 180>>endobj";
        let mut pdf = Pdf::searched(text.as_bytes()).unwrap();
        let pages = all(&mut pdf).unwrap();
        let of = |page: usize| pages[page].inherited[0].as_ref().unwrap();
        assert!(Rc::ptr_eq(of(0), of(1)));
        let mut says = |page: usize| {
            let dict = pages[page].dict(&mut pdf).unwrap();
            assert!(dict.get("Resources").is_some());
            dict.number("Rotate").unwrap()
        };
        assert_eq!([says(0), says(1)], [0, 180]);
    }
}
