//! Names of exported files: from ids that may be anything.

/// The longest name, without its ending.
const MAX_NAME: usize = 100;

/// Names that Windows gives to devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns a file name of an id that is safe on every system: letters, digits, `-`, `_` and `.`, neither hidden nor a device.
pub(super) fn file_name(id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut name: String = id.chars().map(safe).take(MAX_NAME).collect();
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let is_device = DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device));
    if name.is_empty() || is_device || name.starts_with(['.', '-']) || name.eq_ignore_ascii_case("index") {
        name.insert(0, '_');
    }
    name
}

/// Returns whether a name could have been made here.
pub(super) fn is_safe(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty()
        && name.len() <= MAX_NAME + 20
        && name.bytes().all(is_word)
        && !name.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_becomes_a_plain_name() {
        let ids = [
            "190c-a",
            "../../etc/passwd",
            "",
            ".ssh",
            "-rf",
            "NUL",
            "com1.x",
            "a\u{202e}b c\n",
            "index",
            "C:\\x",
        ];
        let names = ids.map(file_name);
        assert_eq!(
            names,
            [
                "190c-a",
                "_.._.._etc_passwd",
                "_",
                "_.ssh",
                "_-rf",
                "_NUL",
                "_com1.x",
                "a_b_c_",
                "_index",
                "C__x"
            ]
        );
        assert!(names.iter().all(|name| is_safe(name)));
        assert!(file_name(&"x".repeat(5000)).len() == MAX_NAME);
        assert!(!["", "a/b", "..", "javascript:x", "a b", "a\"b"].iter().any(|name| is_safe(name)));
    }
}
