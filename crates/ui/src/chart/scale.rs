//! Values as parts of the largest.

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    pub value: f64,
    /// The value as a part of the largest, from 0 to 1.
    pub part: f64,
}

/// Turns named values into bars.
///
/// ```
/// let bars = annals_ui::chart::bars([("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
/// assert_eq!(bars[1].part, 0.5);
/// ```
pub fn bars(values: impl IntoIterator<Item = (String, f64)>) -> Vec<Bar> {
    let values: Vec<_> = values.into_iter().collect();
    let largest = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let part = |value: f64| if largest > 0.0 { (value / largest).clamp(0.0, 1.0) } else { 0.0 };
    values.into_iter().map(|(label, value)| Bar { label, value, part: part(value) }).collect()
}

/// Round values for the lines behind bars, from the first above 0 to the last that is not above the largest value.
///
/// ```
/// assert_eq!(annals_ui::chart::ticks(7.3, 4), [2.0, 4.0, 6.0]);
/// assert!(annals_ui::chart::ticks(0.0, 4).is_empty());
/// ```
pub fn ticks(largest: f64, most: usize) -> Vec<f64> {
    if !largest.is_finite() || largest <= 0.0 || most == 0 {
        return Vec::new();
    }
    let rough = largest / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|of| of * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    (1..).map(|number| f64::from(number) * step).take_while(|tick| *tick <= largest).take(most).collect()
}

/// Values as points of a line, left to right, in a field of this size; 0 is at the bottom.
///
/// ```
/// assert_eq!(annals_ui::chart::points(&[0.0, 4.0], 10.0, 8.0), [(0.0, 8.0), (10.0, 0.0)]);
/// ```
pub fn points(values: &[f64], width: f64, height: f64) -> Vec<(f64, f64)> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let step = if values.len() > 1 { width / (values.len() - 1) as f64 } else { 0.0 };
    let part = |value: f64| if largest > 0.0 { value / largest } else { 0.0 };
    values.iter().enumerate().map(|(at, &value)| (at as f64 * step, height - part(value) * height)).collect()
}
