//! Where things are on the screen: the same for drawing, scrolling and the mouse.

use ratatui_core::layout::Rect;

/// A preview beside the list needs this many columns.
const SIDE_COLUMNS: u16 = 110;
/// A preview below the list needs this many rows.
const BELOW_ROWS: u16 = 18;
/// The rows of a preview below the list, with its rule.
const PREVIEW_ROWS: u16 = 8;
/// A second line of facts about a session needs this many rows.
const FACTS_ROWS: u16 = 14;

/// Smaller terminals show nothing but that they are too small.
pub(crate) const MIN_COLUMNS: u16 = 20;
pub(crate) const MIN_ROWS: u16 = 4;

/// The parts of the list screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListAreas {
    pub(crate) rows: Rect,
    pub(crate) preview: Option<Rect>,
}

/// Everything between the first and the last line.
pub(crate) fn body((columns, rows): (u16, u16)) -> Rect {
    Rect::new(0, 1.min(rows), columns, rows.saturating_sub(2))
}

pub(crate) fn list_areas(size: (u16, u16), is_preview_hidden: bool) -> ListAreas {
    let body = body(size);
    if is_preview_hidden {
        return ListAreas { rows: body, preview: None };
    }
    if size.0 >= SIDE_COLUMNS {
        let width = body.width * 2 / 5;
        let rows = Rect { width: body.width - width, ..body };
        return ListAreas { rows, preview: Some(Rect { x: rows.width, width, ..body }) };
    }
    if size.1 >= BELOW_ROWS {
        let rows = Rect { height: body.height - PREVIEW_ROWS, ..body };
        let preview = Rect { y: body.y + rows.height, height: PREVIEW_ROWS, ..body };
        return ListAreas { rows, preview: Some(preview) };
    }
    ListAreas { rows: body, preview: None }
}

/// The facts about a session, if there is a line for them, and its text.
pub(crate) fn session_areas(size: (u16, u16)) -> (Option<Rect>, Rect) {
    let body = body(size);
    if size.1 < FACTS_ROWS {
        return (None, body);
    }
    let facts = Rect { height: 1, ..body };
    (Some(facts), Rect { y: body.y + 1, height: body.height - 1, ..body })
}

/// Columns of a session's text: one is the cursor's, the last is the scroll bar's.
pub(crate) fn text_columns(columns: u16) -> usize {
    usize::from(columns.saturating_sub(2)).max(10)
}

/// The area of what lies over the screen, in its middle.
pub(crate) fn overlay((columns, rows): (u16, u16), width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(columns), height.min(rows.saturating_sub(1)));
    Rect::new((columns - width) / 2, (rows - height) / 2, width, height)
}

/// The rows inside of the largest frame over the screen.
pub(crate) fn overlay_rows((_, rows): (u16, u16)) -> usize {
    usize::from(rows.saturating_sub(3)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_screen_never_leave_it() {
        for columns in 0..200 {
            for rows in 0..60 {
                let size = (columns, rows);
                let screen = Rect::new(0, 0, columns, rows);
                let list = list_areas(size, false);
                let (facts, text) = session_areas(size);
                let parts = [Some(list.rows), list.preview, facts, Some(text), Some(overlay(size, 60, 20))];
                for part in parts.into_iter().flatten() {
                    assert_eq!(part.intersection(screen), part, "{size:?}");
                }
            }
        }
    }
}
