//! The usage screen's numbers: which table is shown, and the calendar of days.

use crate::host::{UsageLine, UsageReport};

/// A table of the usage screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UsageTable {
    #[default]
    Days,
    Models,
    Projects,
    Calendar,
}

impl UsageTable {
    pub(crate) const ALL: [Self; 4] = [Self::Days, Self::Models, Self::Projects, Self::Calendar];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Models => "models",
            Self::Projects => "projects",
            Self::Calendar => "calendar",
        }
    }

    pub(crate) fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    pub(crate) fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }

    /// The rows of a table, days newest first.
    pub(crate) fn rows(self, report: &UsageReport) -> Vec<&UsageLine> {
        match self {
            Self::Days | Self::Calendar => report.days.iter().rev().collect(),
            Self::Models => report.models.iter().collect(),
            Self::Projects => report.projects.iter().collect(),
        }
    }
}

/// The weight of a row of a report: its cost, or its tokens where nothing has a price.
pub(crate) fn weight(line: &UsageLine, report: &UsageReport) -> f64 {
    match report.total.cost {
        Some(_) => line.cost.unwrap_or(0.0),
        None => line.tokens as f64,
    }
}

/// Days since 1970 of a date like `2026-11-09`.
pub(crate) fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(str::parse::<i64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is their last.
    let years = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(years * 365 + years / 4 - years / 100 + years / 400 + of_year - 719_468)
}

/// The month of a day since 1970, from 1.
pub(crate) fn month_of(day: i64) -> usize {
    let shifted = day + 719_468;
    let of_era = shifted.rem_euclid(146_097);
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let month = (5 * of_year + 2) / 153;
    usize::try_from((month + 2) % 12 + 1).unwrap_or(1)
}

/// A calendar of weeks that ends with the week of the last day: for each week seven levels from 0 to 4, Monday first; `None`
/// after the last day. And the first day of each week.
pub(crate) fn calendar(report: &UsageReport, weeks: usize) -> (Vec<[Option<usize>; 7]>, Vec<i64>) {
    let days: std::collections::HashMap<i64, f64> =
        report.days.iter().filter_map(|line| Some((day_number(&line.key)?, weight(line, report)))).collect();
    let Some(today) = day_number(&report.today) else { return (Vec::new(), Vec::new()) };
    // The first of January 1970 was a Thursday.
    let monday = today - (today + 3).rem_euclid(7);
    let first = monday - 7 * (weeks.max(1) as i64 - 1);
    let mut weights: Vec<f64> = days
        .iter()
        .filter(|(day, weight)| **day >= first && **weight > 0.0)
        .map(|(_, weight)| *weight)
        .collect();
    weights.sort_by(f64::total_cmp);
    let level = |weight: f64| match weight > 0.0 {
        false => 0,
        true => 1 + weights.partition_point(|other| *other < weight) * 4 / weights.len().max(1),
    };
    let starts: Vec<i64> = (0..weeks.max(1)).map(|week| first + 7 * week as i64).collect();
    let week = |start: &i64| {
        std::array::from_fn(|day| {
            let day = start + day as i64;
            (day <= today).then(|| level(days.get(&day).copied().unwrap_or(0.0)).min(4))
        })
    };
    (starts.iter().map(week).collect(), starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_numbered() {
        assert_eq!(day_number("1970-01-01"), Some(0));
        assert_eq!(day_number("2000-02-29"), Some(11_016));
        assert_eq!(day_number("2026-11-09"), Some(20_766));
        assert_eq!([day_number("(no time)"), day_number("2026-13-01")], [None, None]);
        assert_eq!([month_of(0), month_of(11_016), month_of(20_766)], [1, 2, 11]);
    }

    #[test]
    fn a_calendar_ends_today_and_shades_days_by_rank() {
        let line = |key: &str, cost: f64| UsageLine {
            key: key.to_owned(),
            cost: Some(cost),
            ..UsageLine::default()
        };
        let days = vec![line("2026-11-02", 1.0), line("2026-11-03", 2.0), line("2026-11-09", 100.0)];
        let total = line("total", 103.0);
        let report = UsageReport { days, total, today: "2026-11-10".to_owned(), ..UsageReport::default() };
        let (weeks, starts) = calendar(&report, 2);
        assert_eq!(starts, [20_759, 20_766]);
        assert_eq!(weeks[0][..3], [Some(1), Some(2), Some(0)]);
        assert_eq!(weeks[1][..3], [Some(3), Some(0), None]);
        assert_eq!(calendar(&UsageReport::default(), 2).0.len(), 0);
    }
}
