//! Extracts the text of a page, for documents that are too large to be sent.

mod cmap;
mod content;
mod font;
mod glyphs;
mod matrix;
#[cfg(test)]
mod tests;

use super::PdfDamage;
use super::file::Pdf;
use super::object::{Dict, Object};
use super::pages::PdfPage;
use content::TextExtractor;

/// The most characters of a page.
const MAX_PAGE_CHARS: usize = 200_000;

/// The text of a page.
pub(super) fn of_page(pdf: &mut Pdf<'_>, page: &PdfPage) -> Result<String, PdfDamage> {
    let dict = page.dict(pdf)?;
    let resources = resources_of(pdf, &dict)?;
    let parts = match pdf.value(&dict, "Contents")? {
        Object::Array(parts) => parts,
        // A single stream: the reference itself.
        _ => dict.get("Contents").cloned().into_iter().collect(),
    };
    // The content streams of a page are one text that may be cut anywhere.
    let mut content = Vec::new();
    for part in parts {
        let Object::Reference(number) = part else { continue };
        let found = pdf.get(number)?;
        content.extend(pdf.decoded(&found)?.unwrap_or_default());
        content.push(b'\n');
    }
    let mut writer = TextExtractor::new(MAX_PAGE_CHARS);
    writer.run(pdf, &content, &resources, 0)?;
    Ok(writer.finish())
}

fn resources_of(pdf: &mut Pdf<'_>, dict: &Dict) -> Result<Dict, PdfDamage> {
    Ok(pdf.value(dict, "Resources")?.dict().cloned().unwrap_or_default())
}
