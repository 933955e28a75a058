//! The pages of a document, in their order, each with what it inherits.

use std::collections::HashSet;
use std::rc::Rc;

use super::file::Pdf;
use super::object::{Dict, Object};
use super::{PdfError, Wrong};

/// What a page takes from above where it says nothing itself.
const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];
/// How deep the tree of pages may be.
const DEEPEST: usize = 50;

/// A page.
pub(super) struct Page {
    /// The number of its object.
    pub(super) number: u32,
    inherited: Rc<Dict>,
}

impl Page {
    /// What it says, with what it inherits.
    pub(super) fn dict(&self, pdf: &mut Pdf<'_>) -> Result<Dict, Wrong> {
        let found = pdf.get(self.number)?;
        Ok(found.object.dict().map(|own| with(own.clone(), &self.inherited)).unwrap_or_default())
    }
}

fn with(mut own: Dict, inherited: &Dict) -> Dict {
    for (key, value) in &inherited.0 {
        if own.0.iter().all(|(known, _)| known != key) {
            own.0.push((key.clone(), value.clone()));
        }
    }
    own
}

/// All pages.
pub(super) fn all(pdf: &mut Pdf<'_>) -> Result<Vec<Page>, PdfError> {
    let root = pdf.root()?;
    let Some(Object::Reference(top)) = root.get("Pages") else { return Err(Wrong::NoPages.into()) };
    let mut pages = Vec::new();
    // What is still to be looked at, the next last: number, depth, inheritance.
    let mut waiting = vec![(*top, 0, Rc::new(Dict::default()))];
    let mut visited = HashSet::new();
    while let Some((number, depth, inherited)) = waiting.pop() {
        if depth > DEEPEST {
            return Err(Wrong::TooMuch.into());
        }
        if !visited.insert(number) {
            continue;
        }
        let found = pdf.get(number)?;
        let Some(own) = found.object.dict() else { continue };
        let Object::Array(kids) = pdf.value(own, "Kids")? else {
            pages.push(Page { number, inherited });
            continue;
        };
        let is_inherited = |key: &[u8]| INHERITED.iter().any(|name| name.as_bytes() == key);
        let own = own.0.iter().filter(|(key, _)| is_inherited(key)).cloned().collect();
        let handed_down = Rc::new(with(Dict(own), &inherited));
        pdf.spend(0, kids.len())?;
        let kid = |kid: &Object| match kid {
            Object::Reference(number) => Some((*number, depth + 1, Rc::clone(&handed_down))),
            _ => None,
        };
        waiting.extend(kids.iter().rev().filter_map(kid));
    }
    if pages.is_empty() { Err(Wrong::NoPages.into()) } else { Ok(pages) }
}
