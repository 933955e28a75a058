//! Generates PDF documents in every file form, valid and invalid.

use std::io::Write as _;

/// How the objects of a file are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A table and a trailer.
    Table,
    /// A stream of columns, with the objects that are no streams in a stream of their own.
    Packed,
    /// A table that leads nowhere.
    Astray,
    /// No way to anything.
    Lost,
}

pub(super) const FORMS: [Form; 4] = [Form::Table, Form::Packed, Form::Astray, Form::Lost];

/// A document: objects by their number, from 1 on.
#[derive(Clone, Default)]
pub(super) struct Made {
    pub(super) objects: Vec<Vec<u8>>,
    /// More that the trailer says.
    pub(super) trailer: String,
}

pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A stream with what its dictionary says beside its length.
pub(super) fn stream(says: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{says}/Length {}>>\nstream\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\nendstream");
    out
}

impl Made {
    pub(super) fn put(&mut self, object: impl AsRef<[u8]>) -> usize {
        self.objects.push(object.as_ref().to_vec());
        self.objects.len()
    }

    /// A document of that number of pages in a tree of two levels, each saying its number. They inherit their size and their
    /// font, and each has a link to the next.
    pub(super) fn of(pages: usize) -> Self {
        let mut made = Self::default();
        // 1: the catalog, 2: the top, 3: the font; then four a page; then the groups.
        let group = |page: usize| 4 + pages * 4 + page / 4;
        let list =
            |of: Vec<usize>| of.iter().map(|number| format!("{number} 0 R")).collect::<Vec<_>>().join(" ");
        let groups = list((0..pages.div_ceil(4)).map(|at| group(at * 4)).collect());
        made.put("<</Type/Catalog/Pages 2 0 R/Outlines 2 0 R>>");
        made.put(format!(
            "<</Type/Pages/Count {pages}/Kids[{groups}]/MediaBox[0 0 300 400]/Resources<</Font<</F 3 0 R>>>>>>"
        ));
        made.put("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        for page in 0..pages {
            let first = 4 + page * 4;
            let next = 4 + (page + 1) % pages * 4;
            made.put(format!(
                "<</Type/Page/Parent {} 0 R/Contents {} 0 R/Annots[{} 0 R]/StructParents 1>>",
                group(page),
                first + 1,
                first + 2
            ));
            let words = format!("BT /F 12 Tf 20 300 Td (words of page {}.) Tj ET", page + 1);
            made.put(stream("", words.as_bytes()));
            let from = format!("/P {first} 0 R/Dest[{next} 0 R/Fit]");
            made.put(format!("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]{from}/Border {} 0 R>>", first + 3));
            made.put(format!("[0 0 {page}]"));
        }
        for at in 0..pages.div_ceil(4) {
            let kids: Vec<_> = (at * 4..pages.min(at * 4 + 4)).map(|page| 4 + page * 4).collect();
            made.put(format!("<</Type/Pages/Parent 2 0 R/Count {}/Kids[{}]>>", kids.len(), list(kids)));
        }
        made
    }

    pub(super) fn file(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Packed => self.packed(),
            form => self.plain(form),
        }
    }

    fn plain(&self, form: Form) -> Vec<u8> {
        let mut out = b"%PDF-1.4\n".to_vec();
        let mut places = Vec::new();
        for (at, object) in self.objects.iter().enumerate() {
            places.push(out.len());
            out.extend(format!("{} 0 obj\n", at + 1).bytes());
            out.extend(object);
            out.extend(b"\nendobj\n");
        }
        let start = out.len();
        let size = places.len() + 1;
        out.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
        for place in places {
            let place = if form == Form::Astray { place + 3 } else { place };
            out.extend(format!("{place:010} 00000 n \n").bytes());
        }
        if form == Form::Lost {
            out.truncate(start);
            return out;
        }
        out.extend(format!("trailer\n<</Size {size}/Root 1 0 R{}>>\n", self.trailer).bytes());
        out.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
        out
    }

    fn packed(&self) -> Vec<u8> {
        let mut out = b"%PDF-1.5\n".to_vec();
        let (holder, reference) = (self.objects.len() + 1, self.objects.len() + 2);
        let (mut index, mut within) = (String::new(), Vec::new());
        let mut rows = vec![[0, 0, 0, 0, 0, 0]];
        let row = |kind: u8, second: usize, third: u8| {
            let [a, b, c, d] = u32::try_from(second).unwrap().to_be_bytes();
            [kind, a, b, c, d, third]
        };
        let mut count = 0_usize;
        for (at, object) in self.objects.iter().enumerate() {
            let is_stream = object.windows(7).any(|word| word == b"\nstream");
            if is_stream || count > 250 {
                rows.push(row(1, out.len(), 0));
                out.extend(format!("{} 0 obj\n", at + 1).bytes());
                out.extend(object);
                out.extend(b"\nendobj\n");
            } else {
                rows.push(row(2, holder, u8::try_from(count).unwrap()));
                index.push_str(&format!("{} {} ", at + 1, within.len()));
                within.extend(object);
                within.push(b'\n');
                count += 1;
            }
        }
        rows.push(row(1, out.len(), 0));
        let says = format!("/Type/ObjStm/N {count}/First {}/Filter/FlateDecode", index.len());
        out.extend(format!("{holder} 0 obj\n").bytes());
        out.extend(stream(&says, &deflated(&[index.as_bytes(), &within].concat())));
        out.extend(b"\nendobj\n");
        let start = out.len();
        rows.push(row(1, start, 0));
        // Each row is told by its difference to the one above, as most writers do it.
        let mut above = [0; 6];
        let mut columns = Vec::new();
        for row in &rows {
            columns.push(2);
            columns.extend(row.iter().zip(above).map(|(byte, above)| byte.wrapping_sub(above)));
            above = *row;
        }
        let says = format!(
            "/Type/XRef/Size {}/Root 1 0 R{}/W[1 4 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 6>>",
            rows.len(),
            self.trailer
        );
        out.extend(format!("{reference} 0 obj\n").bytes());
        out.extend(stream(&says, &deflated(&columns)));
        out.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
        out
    }
}
