//! Writes a smaller PDF with some of the pages and only the objects that they need.

use std::collections::{HashMap, VecDeque};

use super::file::Pdf;
use super::object::{self, Dict, Object};
use super::pages::PdfPage;
use super::{PdfDamage, PdfError};

/// Keys that are removed from a page: references to other pages, and invisible content.
const NOT_OF_A_PAGE: [&str; 12] = [
    "Parent",
    "B",
    "AA",
    "Metadata",
    "PieceInfo",
    "Thumb",
    "StructParents",
    "Tabs",
    "PresSteps",
    "SeparationInfo",
    "TemplateInstantiated",
    "AF",
];
/// Keys that are left out of annotations.
const NOT_OF_A_NOTE: [&str; 15] = [
    "Parent",
    "P",
    "Dest",
    "A",
    "AA",
    "PA",
    "StructParent",
    "IRT",
    "Popup",
    "FS",
    "Sound",
    "Movie",
    "3DD",
    "RichMediaContent",
    "AF",
];
/// Keys that are left out of form widgets; their values are in the field.
const NOT_OF_A_WIDGET: [&str; 8] = ["P", "Dest", "A", "AA", "StructParent", "IRT", "Popup", "AF"];
/// Keys that are left out of form fields; other widgets are on other pages.
const NOT_OF_A_FIELD: [&str; 4] = ["Kids", "A", "AA", "AF"];
/// Keys that are left out of the form.
const NOT_OF_A_FORM: [&str; 4] = ["Fields", "XFA", "CO", "SigFlags"];
/// Keys that are left out of streams.
const NOT_OF_A_STREAM: [&str; 5] = ["Length", "StructParent", "StructParents", "Metadata", "PieceInfo"];
/// Keys that are left out of all other dictionaries.
const NOT_OF_OTHERS: [&str; 3] = ["Metadata", "PieceInfo", "StructParent"];

/// Object numbers in the new file, assigned when an object is first referenced.
struct ObjectNumbers {
    new: HashMap<u32, Option<u32>>,
    waiting: VecDeque<u32>,
    last: u32,
}

/// The file that is being written.
struct PdfWriter {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

/// Writes a PDF of these pages, in this order; `None` if it would have more bytes than `most`.
pub(super) fn pick(pdf: &mut Pdf<'_>, pages: &[&PdfPage], most: usize) -> Result<Option<Vec<u8>>, PdfError> {
    let mut numbers = ObjectNumbers { new: HashMap::new(), waiting: VecDeque::new(), last: 2 };
    for page in pages {
        numbers.last += 1;
        numbers.new.insert(page.number, Some(numbers.last));
    }
    let mut out = PdfWriter { bytes: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), places: Vec::new() };
    let root = pdf.root()?;
    out.begin();
    out.bytes.extend_from_slice(b"<</Type/Catalog/Pages 2 0 R");
    if let Some(layers) = root.get("OCProperties") {
        out.bytes.extend_from_slice(b"/OCProperties ");
        numbers.write(pdf, &mut out.bytes, layers)?;
    }
    if let Object::Dict(mut form) = pdf.value(&root, "AcroForm")? {
        form.0.retain(|(key, _)| !NOT_OF_A_FORM.iter().any(|word| word.as_bytes() == key));
        form.0.push((b"Fields".to_vec(), Object::Array(Vec::new())));
        out.bytes.extend_from_slice(b"/AcroForm ");
        numbers.write(pdf, &mut out.bytes, &Object::Dict(form))?;
    }
    out.bytes.extend_from_slice(b">>\nendobj\n");
    out.begin();
    let kids: Vec<_> = (0..pages.len()).map(|at| format!("{} 0 R", at + 3)).collect();
    let tree = format!("<</Type/Pages/Count {}/Kids[{}]>>\nendobj\n", kids.len(), kids.join(" "));
    out.bytes.extend_from_slice(tree.as_bytes());
    for page in pages {
        out.begin();
        let mut dict = page.dict(pdf)?;
        let is_kept = |key: &[u8]| key != b"Type" && !NOT_OF_A_PAGE.iter().any(|word| word.as_bytes() == key);
        dict.0.retain(|(key, _)| is_kept(key));
        dict.0.insert(0, (b"Type".to_vec(), Object::Name(b"Page".to_vec())));
        let mut written = Vec::new();
        numbers.write(pdf, &mut written, &Object::Dict(dict))?;
        written.truncate(written.len() - 2);
        out.bytes.extend_from_slice(&written);
        out.bytes.extend_from_slice(b"/Parent 2 0 R>>\nendobj\n");
    }
    while let Some(old) = numbers.waiting.pop_front() {
        if out.bytes.len() > most {
            return Ok(None);
        }
        let found = pdf.get(old)?;
        out.begin();
        match (&found.object, &found.stream) {
            (Object::Dict(dict), Some(stream)) => {
                let mut dict = dict.clone();
                dict.0.retain(|(key, _)| !NOT_OF_A_STREAM.iter().any(|word| word.as_bytes() == key));
                let length = Object::Plain(stream.len().to_string().into_bytes());
                dict.0.push((b"Length".to_vec(), length));
                numbers.write(pdf, &mut out.bytes, &Object::Dict(dict))?;
                out.bytes.extend_from_slice(b"\nstream\n");
                out.bytes.extend_from_slice(&pdf.bytes[stream.clone()]);
                out.bytes.extend_from_slice(b"\nendstream");
            }
            (object, _) => numbers.write(pdf, &mut out.bytes, object)?,
        }
        out.bytes.extend_from_slice(b"\nendobj\n");
    }
    let bytes = out.end();
    Ok((bytes.len() <= most).then_some(bytes))
}

impl ObjectNumbers {
    /// Writes a value; objects that it references get a number and are queued.
    fn write(&mut self, pdf: &mut Pdf<'_>, out: &mut Vec<u8>, value: &Object) -> Result<(), PdfDamage> {
        let mut failed = Ok(());
        let mut number = |old: u32| match self.of(pdf, old) {
            Ok(new) => new,
            Err(wrong) => {
                failed = Err(wrong);
                None
            }
        };
        object::write(out, value, &mut number, &left_out);
        failed
    }

    fn of(&mut self, pdf: &mut Pdf<'_>, old: u32) -> Result<Option<u32>, PdfDamage> {
        if let Some(known) = self.new.get(&old) {
            return Ok(*known);
        }
        let found = pdf.get(old)?;
        let is_elsewhere = match &found.object {
            Object::Null => true,
            Object::Dict(dict) => ["Page", "Pages", "Catalog", "StructTreeRoot", "StructElem"]
                .iter()
                .any(|kind| dict.says("Type", kind)),
            _ => false,
        };
        let new = (!is_elsewhere).then(|| {
            self.last += 1;
            self.waiting.push_back(old);
            self.last
        });
        self.new.insert(old, new);
        Ok(new)
    }
}

fn left_out(dict: &Dict) -> &'static [&'static str] {
    let has = |key: &str| dict.get(key).is_some();
    match () {
        () if dict.says("Subtype", "Widget") => &NOT_OF_A_WIDGET,
        () if has("Subtype") && has("Rect") => &NOT_OF_A_NOTE,
        () if has("Kids") && (has("T") || has("FT")) => &NOT_OF_A_FIELD,
        () => &NOT_OF_OTHERS,
    }
}

impl PdfWriter {
    /// Begins the next object.
    fn begin(&mut self) {
        self.places.push(self.bytes.len());
        self.bytes.extend_from_slice(format!("{} 0 obj\n", self.places.len()).as_bytes());
    }

    /// Writes the cross-reference table and the trailer.
    fn end(mut self) -> Vec<u8> {
        let at = self.bytes.len();
        let size = self.places.len() + 1;
        self.bytes.extend_from_slice(format!("xref\n0 {size}\n0000000000 65535 f \n").as_bytes());
        for place in &self.places {
            self.bytes.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
        }
        let trailer = format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n");
        self.bytes.extend_from_slice(trailer.as_bytes());
        self.bytes
    }
}
