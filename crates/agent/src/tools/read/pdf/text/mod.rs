//! The text of a page, for documents that are too large to be shown: what is written, line by line, as far as the fonts say
//! which letters they draw.

mod cmap;
mod content;
mod font;
mod glyphs;
mod place;
#[cfg(test)]
mod tests;

use super::Wrong;
use super::file::Pdf;
use super::object::{Dict, Object};
use super::pages::Page;
use content::Writer;

/// Letters of a page: what is longer was not written to be read.
const MOST_OF_A_PAGE: usize = 200_000;

/// The text of a page.
pub(super) fn of_page(pdf: &mut Pdf<'_>, page: &Page) -> Result<String, Wrong> {
    let dict = page.dict(pdf)?;
    let resources = resources_of(pdf, &dict)?;
    let parts = match pdf.value(&dict, "Contents")? {
        Object::Array(parts) => parts,
        // A single stream, which is not a value: the reference itself is asked.
        _ => dict.get("Contents").cloned().into_iter().collect(),
    };
    // The parts of a page are one text that was cut anywhere.
    let mut content = Vec::new();
    for part in parts {
        let Object::Reference(number) = part else { continue };
        let found = pdf.get(number)?;
        content.extend(pdf.decoded(&found)?.unwrap_or_default());
        content.push(b'\n');
    }
    let mut writer = Writer::new(MOST_OF_A_PAGE);
    writer.run(pdf, &content, &resources, 0)?;
    Ok(writer.finish())
}

fn resources_of(pdf: &mut Pdf<'_>, dict: &Dict) -> Result<Dict, Wrong> {
    Ok(pdf.value(dict, "Resources")?.dict().cloned().unwrap_or_default())
}
