//! Pictures on a terminal: the sequences by which terminals show pixels, and how many cells a picture takes.
//!
//! Whatever is written is made here, of numbers and Base64: no text of a session is in it.

mod palette;
mod placeholder;
mod sixel;

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ratatui_core::style::Color;

pub(crate) use placeholder::{LEFT, VisiblePicture, put_placeholders};

/// Rows that a picture takes at most.
const MAX_ROWS: u16 = 12;
/// Bytes of Base64 in one sequence of kitty's protocol.
const KITTY_CHUNK: usize = 4096;
/// A cell of a terminal that does not tell: only its proportions matter.
const USUAL_CELL: CellSize = CellSize { width: 8, height: 16 };

/// How a terminal is given pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureProtocol {
    /// The graphics protocol of kitty.
    Kitty,
    /// Inline images of iTerm2.
    Iterm,
    /// Sixels of the VT340.
    Sixel,
}

/// Pixels of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSize {
    pub width: u16,
    pub height: u16,
}

/// Where a picture has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureFrame {
    protocol: PictureProtocol,
    cell: CellSize,
    columns: u16,
    rows: u16,
    /// The number of a picture that the screen places itself.
    number: Option<PictureNumber>,
}

/// The number by which a terminal of kitty's protocol knows a picture: at most 24 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PictureNumber(u32);

impl PictureNumber {
    /// Returns a number of this process, whose pictures are counted; `None` if there were too many.
    pub fn new(process: u32, count: u8) -> Option<Self> {
        (count < u8::MAX).then(|| Self((process & 0xffff) << 8 | (u32::from(count) + 1)))
    }

    /// The color of its placeholders, by which the terminal finds it.
    pub(crate) fn color(self) -> Color {
        let [_, red, green, blue] = self.0.to_be_bytes();
        Color::Rgb(red, green, blue)
    }

    /// What makes the terminal forget it.
    pub(crate) fn removal(self) -> String {
        format!("\u{1b}_Ga=d,d=I,i={},q=2\u{1b}\\", self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PicturePixels<'p> {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue of each pixel.
    pub rgb: &'p [u8],
    /// The same as a PNG file.
    pub png: &'p [u8],
}

/// A picture that can be written to a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    /// What shows it, at the cursor; of one that has a number, what makes it known.
    pub(crate) sequence: String,
    /// The number of one that the screen places.
    pub(crate) number: Option<PictureNumber>,
    /// Whether it is drawn over blank cells: the screen draws it again wherever it moves, as long as all of it is in sight.
    pub(crate) is_overlay: bool,
}

impl PictureFrame {
    /// Returns the place of a picture on a terminal of this many columns and rows; `None` if there is none. Sixels need to know
    /// how large a cell is: they would cover more rows than are left for them.
    pub fn new(protocol: PictureProtocol, cell: Option<CellSize>, size: (u16, u16)) -> Option<Self> {
        let cell = match (cell.filter(|cell| cell.width > 0 && cell.height > 0), protocol) {
            (Some(cell), _) => cell,
            (None, PictureProtocol::Sixel) => return None,
            (None, _) => USUAL_CELL,
        };
        let (columns, rows) = (size.0.saturating_sub(4), MAX_ROWS.min(size.1 / 2));
        (columns > 0 && rows > 0).then_some(Self { protocol, cell, columns, rows, number: None })
    }

    /// Makes a picture that is shown by placeholders, which are text: it scrolls and is cut off as text is. Only kitty's protocol
    /// has them.
    pub fn by_placeholders(self, number: PictureNumber) -> Option<Self> {
        (self.protocol == PictureProtocol::Kitty).then_some(Self { number: Some(number), ..self })
    }

    /// Makes a picture that is drawn over blank cells, by protocols that have no placeholders.
    pub fn over_cells(self, number: PictureNumber) -> Option<Self> {
        (self.protocol != PictureProtocol::Kitty).then_some(Self { number: Some(number), ..self })
    }

    /// Returns the width and the height in pixels that a picture may have.
    pub fn max_pixels(&self) -> (u32, u32) {
        let pixels = |cells: u16, cell: u16| u32::from(cells) * u32::from(cell);
        (pixels(self.columns, self.cell.width), pixels(self.rows, self.cell.height))
    }

    /// Returns a picture of these pixels; `None` if they do not fit.
    pub fn picture(&self, pixels: &PicturePixels<'_>) -> Option<Picture> {
        // Sixels come in bands of six rows.
        let height = match self.protocol {
            PictureProtocol::Sixel => pixels.height.next_multiple_of(sixel::BAND),
            PictureProtocol::Kitty | PictureProtocol::Iterm => pixels.height,
        };
        let cells = |pixels: u32, cell: u16| u16::try_from(pixels.div_ceil(u32::from(cell))).ok();
        let (columns, rows) = (cells(pixels.width, self.cell.width)?, cells(height, self.cell.height)?);
        // The last band may reach into one more row.
        if columns == 0 || rows == 0 || columns > self.columns || rows > self.rows + 1 {
            return None;
        }
        let mut sequence = String::new();
        match self.protocol {
            PictureProtocol::Kitty => kitty(pixels.png, (columns, rows), self.number, &mut sequence),
            PictureProtocol::Iterm => iterm(pixels.png, (columns, rows), &mut sequence),
            PictureProtocol::Sixel => sixel::write(pixels, &mut sequence)?,
        }
        let is_overlay = self.number.is_some() && self.protocol != PictureProtocol::Kitty;
        Some(Picture { columns, rows, sequence, number: self.number, is_overlay })
    }
}

/// The cursor stays, and the terminal answers nothing. One with a number is made known, and placed nowhere yet.
fn kitty(png: &[u8], (columns, rows): (u16, u16), number: Option<PictureNumber>, out: &mut String) {
    let data = STANDARD.encode(png);
    let mut rest = data.as_str();
    let mut keys = match number {
        None => format!("a=T,f=100,q=2,C=1,c={columns},r={rows},"),
        Some(PictureNumber(number)) => format!("a=t,f=100,q=2,i={number},"),
    };
    loop {
        let (chunk, left) = rest.split_at(rest.len().min(KITTY_CHUNK));
        let _ = write!(out, "\u{1b}_G{keys}m={};{chunk}\u{1b}\\", u8::from(!left.is_empty()));
        if left.is_empty() {
            break;
        }
        (rest, keys) = (left, String::new());
    }
    if let Some(PictureNumber(number)) = number {
        let _ = write!(out, "\u{1b}_Ga=p,U=1,q=2,i={number},c={columns},r={rows}\u{1b}\\");
    }
}

fn iterm(png: &[u8], (columns, rows): (u16, u16), out: &mut String) {
    let (bytes, data) = (png.len(), STANDARD.encode(png));
    let size = format!("size={bytes};width={columns};height={rows}");
    let _ =
        write!(out, "\u{1b}]1337;File=inline=1;{size};preserveAspectRatio=1;doNotMoveCursor=1:{data}\u{7}");
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Option<CellSize> = Some(CellSize { width: 10, height: 20 });

    fn shown(protocol: PictureProtocol, width: u32, height: u32) -> Option<Picture> {
        let rgb: Vec<u8> = (0..width * height * 3).map(|at| (at % 251) as u8).collect();
        let png = vec![7; 5000];
        let frame = PictureFrame::new(protocol, CELL, (80, 24)).unwrap();
        frame.picture(&PicturePixels { width, height, rgb: &rgb, png: &png })
    }

    #[test]
    fn a_picture_takes_the_cells_that_it_covers() {
        for (protocol, rows) in [(PictureProtocol::Kitty, 3), (PictureProtocol::Sixel, 3)] {
            let picture = shown(protocol, 31, 41).unwrap();
            assert_eq!((picture.columns, picture.rows), (4, rows), "{protocol:?}");
        }
        // A band of six rows reaches beyond a picture of 40.
        assert_eq!(shown(PictureProtocol::Sixel, 31, 40).unwrap().rows, 3);
        let frame = PictureFrame::new(PictureProtocol::Kitty, CELL, (80, 24)).unwrap();
        assert_eq!(frame.max_pixels(), (760, 240));
        assert_eq!(shown(PictureProtocol::Kitty, 761, 10), None);
        assert_eq!(shown(PictureProtocol::Kitty, 10, 281), None);
        assert_eq!(shown(PictureProtocol::Kitty, 0, 0), None);
    }

    #[test]
    fn sixels_need_the_size_of_a_cell_and_all_need_a_place() {
        assert_eq!(PictureFrame::new(PictureProtocol::Sixel, None, (80, 24)), None);
        let none = Some(CellSize { width: 0, height: 0 });
        assert_eq!(PictureFrame::new(PictureProtocol::Sixel, none, (80, 24)), None);
        let frame = PictureFrame::new(PictureProtocol::Iterm, none, (80, 24)).unwrap();
        assert_eq!(frame.max_pixels(), (76 * 8, 12 * 16));
        assert_eq!(PictureFrame::new(PictureProtocol::Kitty, CELL, (4, 24)), None);
        assert_eq!(PictureFrame::new(PictureProtocol::Kitty, CELL, (80, 1)), None);
    }

    #[test]
    fn the_chunks_of_kitty_are_the_whole_file() {
        let picture = shown(PictureProtocol::Kitty, 20, 20).unwrap();
        let parts: Vec<&str> = picture.sequence.split_terminator("\u{1b}\\").collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\u{1b}_Ga=T,f=100,q=2,C=1,c=2,r=1,m=1;"), "{}", parts[0]);
        assert!(parts[1].starts_with("\u{1b}_Gm=0;"), "{}", parts[1]);
        let data: String = parts.iter().map(|part| part.split_once(';').unwrap().1).collect();
        assert_eq!(STANDARD.decode(data).unwrap(), vec![7; 5000]);
    }

    #[test]
    fn the_file_of_iterm_is_whole() {
        let picture = shown(PictureProtocol::Iterm, 20, 20).unwrap();
        let (head, data) = picture.sequence.split_once(':').unwrap();
        assert_eq!(
            head,
            "\u{1b}]1337;File=inline=1;size=5000;width=2;height=1;preserveAspectRatio=1;doNotMoveCursor=1"
        );
        assert_eq!(STANDARD.decode(data.strip_suffix('\u{7}').unwrap()).unwrap(), vec![7; 5000]);
    }
}
