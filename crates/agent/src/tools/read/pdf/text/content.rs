//! Runs the content stream of a page and collects its text: a line break at a move, a space at a gap.

use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;

use super::super::PdfDamage;
use super::super::file::Pdf;
use super::super::object::{Dict, Object};
use super::super::parse::{Parser, Token, is_space};
use super::font::Font;
use super::matrix::Matrix;
use super::resources_of;

/// The deepest nesting of forms.
const MAX_DEPTH: usize = 6;
/// The most saved states.
const MAX_STATES: usize = 100;

#[derive(Clone)]
struct TextState {
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    letter_gap: f64,
    word_gap: f64,
}

/// Collects the text of content streams.
pub(super) struct TextExtractor {
    text: String,
    max_len: usize,
    state: TextState,
    saved: Vec<TextState>,
    line: Matrix,
    at: Matrix,
    /// Where the last glyph ended on the page.
    end: Option<(f64, f64)>,
    fonts: HashMap<u32, Rc<Font>>,
}

impl TextExtractor {
    pub(super) fn new(max_len: usize) -> Self {
        let state = TextState {
            page: Matrix::NONE,
            font: None,
            size: 1.0,
            leading: 0.0,
            letter_gap: 0.0,
            word_gap: 0.0,
        };
        Self {
            text: String::new(),
            max_len,
            state,
            saved: Vec::new(),
            line: Matrix::NONE,
            at: Matrix::NONE,
            end: None,
            fonts: HashMap::new(),
        }
    }

    /// The text, without trailing spaces.
    pub(super) fn finish(self) -> String {
        let mut out = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out.trim().to_owned()
    }

    pub(super) fn run(
        &mut self,
        pdf: &mut Pdf<'_>,
        content: &[u8],
        resources: &Dict,
        depth: usize,
    ) -> Result<(), PdfDamage> {
        pdf.spend(content.len(), 0)?;
        let mut parser = Parser::new(content, 0);
        let mut operands: Vec<Object> = Vec::new();
        while parser.at < content.len() && self.text.len() < self.max_len {
            match parser.token(0) {
                Some(Token::Value(value)) => operands.push(value),
                Some(Token::Word(b"ID")) => {
                    // An inline image.
                    let is_end = |at: &usize| {
                        let around = |at: usize| parser.rest().get(at).is_none_or(|byte| is_space(*byte));
                        at.checked_sub(1).is_some_and(around) && around(at + 2)
                    };
                    let end = memmem::find_iter(parser.rest(), b"EI").find(is_end);
                    parser.at = end.map_or(content.len(), |end| parser.at + end + 2);
                    operands.clear();
                }
                Some(Token::Word(b"Do")) => {
                    let name = operands.pop();
                    operands.clear();
                    self.draw(pdf, resources, name, depth)?;
                }
                Some(Token::Word(b"Tf")) => {
                    self.state.size = operands.last().and_then(Object::real).unwrap_or(1.0);
                    self.state.font = self.font(pdf, resources, operands.first())?;
                    operands.clear();
                }
                Some(Token::Word(word)) => {
                    self.instruct(word, &operands);
                    operands.clear();
                }
                Some(_) => {}
                None => parser.at += 1,
            }
        }
        Ok(())
    }

    fn font(
        &mut self,
        pdf: &mut Pdf<'_>,
        resources: &Dict,
        name: Option<&Object>,
    ) -> Result<Option<Rc<Font>>, PdfDamage> {
        let Some(Object::Name(name)) = name else { return Ok(None) };
        let Some(entry) = pdf.entry(resources, "Font", name)? else { return Ok(None) };
        if let Object::Reference(number) = &entry
            && let Some(known) = self.fonts.get(number)
        {
            return Ok(Some(Rc::clone(known)));
        }
        let dict = pdf.resolve(&entry)?;
        let font = Rc::new(Font::read(pdf, dict.dict().unwrap_or(&Dict::default()))?);
        if let Object::Reference(number) = entry {
            self.fonts.insert(number, Rc::clone(&font));
        }
        Ok(Some(font))
    }

    /// Runs a form.
    fn draw(
        &mut self,
        pdf: &mut Pdf<'_>,
        resources: &Dict,
        name: Option<Object>,
        depth: usize,
    ) -> Result<(), PdfDamage> {
        let Some(Object::Name(name)) = name else { return Ok(()) };
        let Some(Object::Reference(number)) = pdf.entry(resources, "XObject", &name)? else { return Ok(()) };
        let found = pdf.get(number)?;
        let Some(dict) = found.object.dict().filter(|dict| dict.says("Subtype", "Form")) else {
            return Ok(());
        };
        if depth >= MAX_DEPTH {
            return Ok(());
        }
        let Some(content) = pdf.decoded(&found)? else { return Ok(()) };
        let own = resources_of(pdf, dict)?;
        let own = if own.0.is_empty() { resources } else { &own };
        let before = self.state.clone();
        if let Object::Array(numbers) = pdf.value(dict, "Matrix")? {
            self.turn(&numbers);
        }
        self.run(pdf, &content, own, depth + 1)?;
        self.state = before;
        Ok(())
    }

    fn turn(&mut self, numbers: &[Object]) {
        if let Some(matrix) = matrix(numbers) {
            self.state.page = matrix.then(self.state.page);
        }
    }

    fn instruct(&mut self, word: &[u8], operands: &[Object]) {
        let number = |at: usize| operands.get(at).and_then(Object::real).unwrap_or(0.0);
        match word {
            b"q" if self.saved.len() < MAX_STATES => self.saved.push(self.state.clone()),
            b"Q" => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            b"cm" => self.turn(operands),
            b"BT" => self.go(Matrix::NONE),
            b"Tc" => self.state.letter_gap = number(0),
            b"Tw" => self.state.word_gap = number(0),
            b"TL" => self.state.leading = number(0),
            b"Td" => self.go(Matrix::moved(number(0), number(1)).then(self.line)),
            b"TD" => {
                self.state.leading = -number(1);
                self.go(Matrix::moved(number(0), number(1)).then(self.line));
            }
            b"Tm" => self.go(matrix(operands).unwrap_or(Matrix::NONE)),
            b"T*" => self.next_line(),
            b"Tj" => self.show(operands.first()),
            b"'" => {
                self.next_line();
                self.show(operands.first());
            }
            b"\"" => {
                (self.state.word_gap, self.state.letter_gap) = (number(0), number(1));
                self.next_line();
                self.show(operands.get(2));
            }
            b"TJ" => {
                let Some(Object::Array(items)) = operands.first() else { return };
                for item in items {
                    match item.real() {
                        Some(back) => {
                            self.at = Matrix::moved(-back / 1000.0 * self.state.size, 0.0).then(self.at)
                        }
                        None => self.show(Some(item)),
                    }
                }
            }
            _ => {}
        }
    }

    fn go(&mut self, to: Matrix) {
        (self.line, self.at) = (to, to);
    }

    fn next_line(&mut self) {
        self.go(Matrix::moved(0.0, -self.state.leading).then(self.line));
    }

    fn show(&mut self, string: Option<&Object>) {
        let Some(string) = string.and_then(Object::string) else { return };
        let Some(font) = self.state.font.clone() else { return };
        for glyph in font.glyphs(&string) {
            let position = self.at.then(self.state.page);
            self.part(position);
            if self.text.len() < self.max_len {
                self.text.push_str(&glyph.text);
            }
            let gap = self.state.letter_gap + if glyph.is_space { self.state.word_gap } else { 0.0 };
            let step = glyph.width / 1000.0 * self.state.size + gap;
            self.at = Matrix::moved(step, 0.0).then(self.at);
            self.end = Some(self.at.then(self.state.page).origin());
        }
    }

    /// Adds the space or break between the last glyph and one at this position.
    fn part(&mut self, position: Matrix) {
        let Some((end_x, end_y)) = self.end else { return };
        let ((x, y), (_, height)) = (position.origin(), position.scale());
        let size = (height * self.state.size).abs().max(0.1);
        let is_open = !self.text.ends_with(['\n', ' ']) && !self.text.is_empty();
        if (y - end_y).abs() > size * 1.8 && !self.text.ends_with("\n\n") {
            self.text.push_str("\n\n");
        } else if (y - end_y).abs() > size * 0.5 && !self.text.ends_with('\n') {
            self.text.push('\n');
        } else if is_open && !(-size..=size * 0.2).contains(&(x - end_x)) {
            self.text.push(' ');
        }
    }
}

fn matrix(numbers: &[Object]) -> Option<Matrix> {
    let mut out = [0.0; 6];
    if numbers.len() < 6 {
        return None;
    }
    for (slot, number) in out.iter_mut().zip(numbers) {
        *slot = number.real()?;
    }
    Some(Matrix(out))
}
