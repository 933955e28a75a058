//! The numbers of charts: bars, scales, lines, days of a calendar. Nothing here is a drawing: each front end has its own.

mod calendar;
mod scale;

pub use calendar::{CalendarCell, calendar};
pub use scale::{Bar, bars, points, ticks};
