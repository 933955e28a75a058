//! Timestamps in the client's format, counted in seconds from a fixed morning. Months are not needed: tests are short.

/// The time this many seconds after the first of June 2026.
pub(super) fn text(seconds: u32) -> String {
    let (day, rest) = (1 + seconds / 86_400, seconds % 86_400);
    assert!(day <= 30, "a built session lasts at most thirty days");
    format!("2026-06-{day:02}T{:02}:{:02}:{:02}.000Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn counts_over_midnight() {
        assert_eq!(text(0), "2026-06-01T00:00:00.000Z");
        assert_eq!(text(86_400 + 3_661), "2026-06-02T01:01:01.000Z");
    }
}
