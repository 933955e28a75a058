//! Formats numbers for people: durations, tokens, sizes, times. Shared by all output formats.

use annals_transcript::time::format_millis;
use annals_transcript::usage::UsageRow;

/// `340 ms`, `4.2 s`, `2m 14s`, `1h 05m`.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0 => format!("{millis} ms"),
        1..=9 => format!("{}.{} s", seconds, millis % 1000 / 100),
        10..=59 => format!("{seconds} s"),
        60..=3599 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3600..=86_399 => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// `812`, `3.4k`, `155k`, `1.2M`, `3.4G`.
pub fn amount(count: u64) -> String {
    match count {
        0..=999 => count.to_string(),
        1000..=9999 => format!("{}.{}k", count / 1000, count % 1000 / 100),
        10_000..=999_999 => format!("{}k", count / 1000),
        1_000_000..=999_999_999 => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
        _ => format!("{}.{}G", count / 1_000_000_000, count % 1_000_000_000 / 100_000_000),
    }
}

/// `1 token`, `3.4k tokens`.
pub fn tokens(count: u64) -> String {
    if count == 1 { "1 token".to_owned() } else { format!("{} tokens", amount(count)) }
}

/// `412 B`, `3.4 KB`, `1.2 MB`, `1.0 GB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} B"),
        1000..=999_999 => format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100),
        1_000_000..=999_999_999 => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes % 1_000_000_000 / 100_000_000),
    }
}

/// `$0.42`, `$0.0042`.
pub fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// The cost of a row: `?` where nothing in it has a price, `$1.23+?` where something has none.
pub fn cost(row: &UsageRow) -> String {
    let known = row.models.len() > row.unpriced.len();
    match (row.unpriced.is_empty(), known) {
        (true, _) => dollars(row.cost.dollars()),
        (false, true) => format!("{}+?", dollars(row.cost.dollars())),
        (false, false) => "?".to_owned(),
    }
}

/// `1 line`, `2 lines`, `2 entries`, `2 branches`.
pub fn counted(count: usize, one: &str) -> String {
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end));
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if hisses => format!("{count} {one}es"),
        _ => format!("{count} {one}s"),
    }
}

/// How many lines a text has, as [`str::lines`] counts them.
pub(crate) fn line_count(text: &str) -> usize {
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Appends a number.
pub(crate) fn push_number(mut number: u64, out: &mut String) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    digits[at..].iter().for_each(|digit| out.push(char::from(*digit)));
}

/// Date and time of day of an instant, shifted by this many minutes from UTC: `2026-01-03` and `15:44`.
pub fn stamp(millis: i64, offset_minutes: i32) -> (String, String) {
    let text = format_millis(millis.saturating_add(i64::from(offset_minutes) * 60_000));
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    (date.to_owned(), time.chars().take(5).collect())
}

/// How long ago, in one unit: `5m`, `3h`, `12d`, `4mo`, `2y`. Nothing for what lies ahead.
pub fn age(millis: i64, now: i64) -> String {
    let Some(minutes) = now.checked_sub(millis).filter(|age| *age >= 0).map(|age| age / 60_000) else {
        return String::new();
    };
    let (hours, days) = (minutes / 60, minutes / (24 * 60));
    match () {
        () if minutes < 1 => "now".to_owned(),
        () if hours < 1 => format!("{minutes}m"),
        () if days < 1 => format!("{hours}h"),
        () if days < 60 => format!("{days}d"),
        () if days < 730 => format!("{}mo", days * 12 / 365),
        () => format!("{}y", days / 365),
    }
}

/// A model's name without vendor and date: `claude-opus-4-5-20251101` is `opus-4-5`.
pub fn model(name: &str) -> &str {
    let short = name.strip_prefix("claude-").unwrap_or(name);
    match short.rsplit_once('-') {
        Some((stem, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => short,
    }
}

/// A model by the name that its maker gives it, such as `Opus 4.5`; one of another kind as it is.
pub fn display_model(name: &str) -> String {
    let short = model(name);
    let (words, numbers): (Vec<&str>, Vec<&str>) =
        short.split('-').partition(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
    match (name.starts_with("claude-"), words.as_slice()) {
        (true, [family]) if !family.is_empty() && !numbers.is_empty() => {
            let (first, rest) = family.split_at(family.chars().next().map_or(0, char::len_utf8));
            format!("{}{rest} {}", first.to_uppercase(), numbers.join("."))
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_numbers_written_as_the_standard_library_does() {
        for text in ["", "\n", "a", "a\n", "a\n\nb", "\r\n", "a\r\nb\r"] {
            assert_eq!(line_count(text), text.lines().count(), "{text:?}");
        }
        for number in [0, 7, 10, 1234, u64::MAX] {
            let mut out = String::new();
            push_number(number, &mut out);
            assert_eq!(out, number.to_string());
        }
    }

    #[test]
    fn figures_are_short() {
        let durations: Vec<_> = [340, 4200, 42_000, 134_000, 3_900_000, 90_000_000].map(duration).into();
        assert_eq!(durations, ["340 ms", "4.2 s", "42 s", "2m 14s", "1h 05m", "1d 01h"]);
        assert_eq!([812, 3400, 155_000, 1_250_000].map(amount), ["812", "3.4k", "155k", "1.2M"]);
        assert_eq!([amount(3_400_000_000), size(412), size(1_000_000_000)], ["3.4G", "412 B", "1.0 GB"]);
        assert_eq!(
            ["line", "entry", "day", "branch"].map(|one| counted(2, one)),
            ["2 lines", "2 entries", "2 days", "2 branches"]
        );
        assert_eq!(["entry", "branch"].map(|one| counted(1, one)), ["1 entry", "1 branch"]);
        assert_eq!(stamp(0, 60), ("1970-01-01".to_owned(), "01:00".to_owned()));
        assert_eq!(model("claude-opus-4-5-20251101"), "opus-4-5");
        assert_eq!(model("glm-5.1"), "glm-5.1");
    }

    #[test]
    fn models_have_the_names_of_their_maker() {
        assert_eq!(display_model("claude-opus-4-5-20251101"), "Opus 4.5");
        assert_eq!(display_model("claude-sonnet-4-5"), "Sonnet 4.5");
        assert_eq!(display_model("claude-3-5-haiku-20241022"), "Haiku 3.5");
        assert_eq!(display_model("gateway/opus-4-5"), "gateway/opus-4-5");
        assert_eq!(display_model("claude-opus-4-5[1m]"), "claude-opus-4-5[1m]");
    }
}
