//! The name of a project's folder, by the client's rule.

/// Every UTF-16 unit outside `[A-Za-z0-9]` becomes `-`. Our paths are short enough that nothing is cut.
pub(crate) fn slug(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn replaces_every_other_unit() {
        assert_eq!(super::slug("/Users/tomas/dev/harbor.infra"), "-Users-tomas-dev-harbor-infra");
        assert_eq!(super::slug("C:\\Users\\ines\\src\\Quill Notes"), "C--Users-ines-src-Quill-Notes");
        assert_eq!(super::slug("/t/é😀_x"), "-t-----x");
    }
}
