//! Charts as SVG. Colours come from the style sheet; every chart says in words what it shows.

use annals_ui::chart::{Bar, CalendarCell, points, ticks};
use annals_ui::figures;
use maud::{Markup, html};

use super::dollars;
use crate::library::{Outline, TurnRow};

/// Width of the field of a chart, in its own units.
const WIDTH: f64 = 720.0;
/// Every day of this number has its name below its column.
const NAMED_DAY: usize = 10;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A small line without axes.
pub(super) fn spark(values: &[f64], label: &str) -> Markup {
    html! {
        svg class="spark" viewBox="0 0 96 20" role="img" aria-label=(label) preserveAspectRatio="none" {
            polyline points=(line(values, 96.0, 18.0)) {}
        }
    }
}

/// Upright bars, one a day, with lines at round values and the names of some days.
pub(super) fn columns(bars: &[Bar], label: &str) -> Markup {
    let (height, top, left) = (160.0, 8.0, 44.0);
    let step = (WIDTH - left) / bars.len().max(1) as f64;
    let largest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let named = bars.iter().enumerate().filter(|(at, _)| (bars.len() - 1 - at).is_multiple_of(NAMED_DAY));
    html! {
        svg class="columns" viewBox={ "0 0 " (WIDTH) " " (top + height + 18.0) } role="img" aria-label=(label) {
            @for value in ticks(largest, 4) {
                @let y = format!("{:.1}", top + height - value / largest * height);
                line x1=(left) x2=(WIDTH) y1=(y) y2=(y) {}
                text x=(left - 6.0) y=(y) dy=".35em" text-anchor="end" { (dollars(value)) }
            }
            line x1=(left) x2=(WIDTH) y1=(top + height) y2=(top + height) {}
            @for (at, bar) in bars.iter().enumerate() {
                @let tall = (bar.part * height).max(if bar.value > 0.0 { 1.0 } else { 0.0 });
                rect x=(format!("{:.1}", left + at as f64 * step)) y=(format!("{:.1}", top + height - tall))
                    width=(format!("{:.1}", (step * 0.85).max(0.5))) height=(format!("{tall:.1}")) {
                    title { (bar.label) ": " (dollars(bar.value)) }
                }
            }
            @for (at, bar) in named {
                text x=(format!("{:.1}", left + (at as f64 + 0.85) * step)) y=(top + height + 14.0) text-anchor="end" {
                    (bar.label.get(5..).unwrap_or(&bar.label))
                }
            }
        }
    }
}

/// Bars that lie, each with its name and number.
pub(super) fn rows(bars: &[Bar], caption: &str) -> Markup {
    html! {
        table class="bars" {
            caption { (caption) }
            @for bar in bars {
                tr {
                    th scope="row" { (bar.label) }
                    td class="right" { (dollars(bar.value)) }
                    td aria-hidden="true" {
                        svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" {
                            rect width=(format!("{:.1}", bar.part * 100.0)) height="10" {}
                        }
                    }
                }
            }
        }
    }
}

/// A calendar, a column a week. `name` is the name of a day, as 2026-11-17.
pub(super) fn calendar(cells: &[CalendarCell], name: impl Fn(i64) -> String, label: &str) -> Markup {
    let weeks = cells.last().map_or(1, |cell| cell.week + 1);
    let (left, top) = (26, 14);
    // The column that a month begins in has its name.
    let begins = cells.iter().filter(|cell| name(cell.day).ends_with("-01") && cell.week + 2 < weeks);
    let month = |day: i64| {
        let number = name(day).get(5..7).and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| MONTHS.get(number.wrapping_sub(1))).copied().unwrap_or_default()
    };
    html! {
        svg class="calendar" viewBox={ "0 0 " (left + weeks * 14) " " (top + 98) } role="img" aria-label=(label) {
            @for cell in begins { text x=(left + cell.week * 14) y="9" { (month(cell.day)) } }
            @for (row, day) in [(0, "Mon"), (2, "Wed"), (4, "Fri")] { text x="0" y=(top + row * 14 + 10) { (day) } }
            @for cell in cells {
                rect class={ "level" (cell.level) } x=(left + cell.week * 14) y=(top + cell.weekday * 14) width="12" height="12" rx="2" {
                    title { (name(cell.day)) ": " (dollars(cell.value)) }
                }
            }
        }
    }
}

/// The most bars of a map; longer sessions have several turns in each.
const MAP_BARS: usize = 240;

struct MapBar<'o> {
    first: &'o TurnRow,
    turns: usize,
    dollars: f64,
    millis: f64,
    context: u64,
    has_errors: bool,
}

impl<'o> MapBar<'o> {
    fn of(turns: &'o [TurnRow]) -> Option<Self> {
        let first = turns.first()?;
        Some(Self {
            first,
            turns: turns.len(),
            dollars: turns.iter().map(|turn| turn.dollars).sum(),
            millis: turns.iter().map(|turn| turn.duration_ms.unwrap_or_default() as f64).sum(),
            context: turns.iter().map(|turn| turn.context).max().unwrap_or_default(),
            has_errors: turns.iter().any(|turn| turn.has_errors),
        })
    }

    fn label(&self) -> String {
        let more = if self.turns > 1 { format!(" and {} more", self.turns - 1) } else { String::new() };
        format!("{}{more} · {}", self.first.opening, dollars(self.dollars))
    }
}

/// The turns of a session: how wide by time, how high by cost, and above them how full the context was.
pub(super) fn minimap(outline: &Outline) -> Markup {
    let size = outline.turns.len().div_ceil(MAP_BARS).max(1);
    let turns: Vec<MapBar<'_>> = outline.turns.chunks(size).filter_map(MapBar::of).collect();
    let bars = annals_ui::chart::bars(turns.iter().map(|turn| (turn.label(), turn.dollars)));
    let contexts: Vec<f64> = turns.iter().map(|turn| turn.context as f64).collect();
    let most = turns.iter().map(|turn| turn.context).max().unwrap_or_default();
    // Durations decide the widths, but the shortest turn can still be hit.
    let all: f64 = turns.iter().map(|turn| turn.millis).sum();
    let even = WIDTH / turns.len().max(1) as f64;
    let width = |millis: f64| if all > 0.0 { even * 0.4 + millis / all * WIDTH * 0.6 } else { even };
    let mut x = 0.0;
    let mut places = Vec::new();
    for turn in &turns {
        places.push((x, width(turn.millis)));
        x += width(turn.millis);
    }
    html! {
        figure class="map" {
            figcaption { "Turns by time and cost; the line is the context, at most " (figures::amount(most)) " tokens" }
            svg viewBox={ "0 0 " (WIDTH) " 92" } role="group" aria-label="Map of the turns" {
                polyline class="context" points=(line(&contexts, WIDTH, 40.0)) {}
                @for ((turn, bar), (x, width)) in turns.iter().zip(&bars).zip(&places) {
                    a href={ "#L" (turn.first.line) } aria-label={ "Line " (turn.first.line) ", " (dollars(bar.value)) } {
                        rect class="hit" x=(format!("{x:.1}")) y="44" width=(format!("{width:.1}")) height="48" { title { (bar.label) } }
                        rect class=(if turn.has_errors { "turn bad" } else { "turn" }) x=(format!("{x:.1}"))
                            y=(format!("{:.1}", 90.0 - bar.part * 44.0)) width=(format!("{:.1}", (width * 0.9).max(0.4)))
                            height=(format!("{:.1}", 2.0 + bar.part * 44.0)) {}
                    }
                }
            }
        }
    }
}

/// The points of a line, as SVG has them.
fn line(values: &[f64], width: f64, height: f64) -> String {
    let points = points(values, width, height);
    points.iter().map(|(x, y)| format!("{x:.1},{:.1}", y + 1.0)).collect::<Vec<_>>().join(" ")
}

/// One bar, divided.
pub(super) fn share(parts: &[(&str, u64)], all: u64) -> Markup {
    let mut x = 0.0;
    let mut places = Vec::new();
    for (name, bytes) in parts {
        let width = *bytes as f64 / all as f64 * 100.0;
        places.push((*name, x, width));
        x += width;
    }
    html! {
        svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            @for (at, (name, x, width)) in places.iter().enumerate() {
                rect class={ "part" (at) } x=(format!("{x:.2}")) width=(format!("{width:.2}")) height="6" { title { (name) } }
            }
        }
    }
}

/// The colour of a part of [`share`], beside its name.
pub(super) fn swatch(part: usize) -> Markup {
    html! { svg class="swatch" viewBox="0 0 10 10" aria-hidden="true" { rect class={ "part" (part) } width="10" height="10" rx="2" {} } }
}
