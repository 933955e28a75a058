//! Pictures as text: a terminal of kitty's protocol shows the parts of a picture where placeholders stand, whose color says which
//! picture it is and whose marks say which part. So they scroll, and are cut off, as text is.

use ratatui_core::buffer::Buffer;
use ratatui_core::style::Style;

use super::PictureNumber;

/// The character of the protocol, of a private area.
const PLACEHOLDER: char = '\u{10eeee}';
/// The marks of the first rows, from the table of the protocol; those of the first column are the same. Each further cell of a row
/// continues the one before it.
const MARKS: [char; 14] = [
    '\u{305}', '\u{30d}', '\u{30e}', '\u{310}', '\u{312}', '\u{33d}', '\u{33e}', '\u{33f}', '\u{346}',
    '\u{34a}', '\u{34b}', '\u{34c}', '\u{350}', '\u{351}',
];
/// The column where a picture begins.
pub(crate) const LEFT: u16 = 2;

/// A part of a picture that is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VisiblePicture {
    pub(crate) number: PictureNumber,
    /// The row of the screen where it begins.
    pub(crate) row: usize,
    /// The row of the picture that is there.
    pub(crate) first: usize,
    pub(crate) rows: usize,
    pub(crate) columns: u16,
    pub(crate) is_overlay: bool,
}

/// Puts the placeholders of a picture into cells.
pub(crate) fn put_placeholders(buffer: &mut Buffer, picture: &VisiblePicture) {
    let style = Style::new().fg(picture.number.color());
    for at in 0..picture.rows {
        let (Ok(y), Some(mark)) = (u16::try_from(picture.row + at), MARKS.get(picture.first + at)) else {
            return;
        };
        for column in 0..picture.columns {
            let Some(cell) = buffer.cell_mut((LEFT + column, y)) else { break };
            // A row is drawn again in part only: each cell says all.
            let symbol = match MARKS.get(usize::from(column)) {
                Some(column) => format!("{PLACEHOLDER}{mark}{column}"),
                None => format!("{PLACEHOLDER}{mark}"),
            };
            cell.set_symbol(&symbol).set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Color;

    use super::*;

    #[test]
    fn a_picture_that_is_cut_off_has_the_marks_of_its_other_rows() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        let number = PictureNumber::new(0x12345, 0).unwrap();
        let picture = VisiblePicture { number, row: 1, first: 2, rows: 3, columns: 3, is_overlay: false };
        put_placeholders(&mut buffer, &picture);
        assert_eq!(buffer[(2, 1)].symbol(), "\u{10eeee}\u{30e}\u{305}");
        assert_eq!(buffer[(4, 1)].symbol(), "\u{10eeee}\u{30e}\u{30e}");
        assert_eq!((buffer[(5, 1)].symbol(), buffer[(2, 0)].symbol()), (" ", " "));
        assert_eq!(buffer[(2, 1)].fg, Color::Rgb(0x23, 0x45, 1));
    }
}
