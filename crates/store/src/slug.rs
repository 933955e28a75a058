//! The name of a project's folder, made from the path of its working directory exactly as the client makes it.

use crate::key::Slug;

/// Longer names are cut and get a hash of the whole path.
pub(crate) const MAX_UNITS: usize = 200;

/// The slug of a working directory.
///
/// Every UTF-16 code unit outside `[A-Za-z0-9]` becomes `-`, so one emoji gives two; nothing is normalised and the
/// leading `-` stays. The client resolves symbolic links first: hand in the real path.
///
/// ```
/// assert_eq!(annals_store::project_slug("/home/me/my_app.rs"), "-home-me-my-app-rs");
/// ```
pub fn project_slug(path: &str) -> String {
    let mut slug = String::with_capacity(path.len());
    let (mut hash, mut count) = (0_i32, 0_usize);
    for unit in path.encode_utf16() {
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
        count += 1;
        if count <= MAX_UNITS {
            let plain = char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric);
            slug.push(plain.unwrap_or('-'));
        }
    }
    if count > MAX_UNITS {
        slug.push('-');
        slug.push_str(&base36(hash.unsigned_abs()));
    }
    slug
}

impl Slug {
    /// The slug of a working directory: see [`project_slug`].
    pub fn of_path(path: &str) -> Self {
        Self::new(project_slug(path))
    }
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::project_slug;

    fn check(path: &str, expected: &str) {
        assert_eq!(project_slug(path), expected, "{path}");
    }

    /// A path of exactly this many units: every answer below was seen from 2.1.112 and 2.1.325.
    fn long(units: usize) -> String {
        let mut path = "/srv/ada/code/L/".to_owned();
        while units - path.len() > 200 {
            path.push_str(&"a".repeat(100));
            path.push('/');
        }
        path.push_str(&"a".repeat(units - path.len()));
        path
    }

    #[test]
    fn all_but_letters_and_digits_become_dashes() {
        check("/srv/ada/code/a.b_c d:e\\f-g+h@i", "-srv-ada-code-a-b-c-d-e-f-g-h-i");
        check(r"C:\Users\me", "C--Users-me");
        check("", "");
    }

    #[test]
    fn units_of_utf16_are_what_counts() {
        check("/srv/ada/code/pro😀ject", "-srv-ada-code-pro--ject");
        check("/srv/ada/code/漢字/プロジェクト", "-srv-ada-code----------");
        check("/srv/ada/code/ＡＢＣ１２３ßſ", "-srv-ada-code---------");
        check("/srv/ada/code/👨‍👩‍👧", "-srv-ada-code---------");
    }

    #[test]
    fn nothing_is_normalised() {
        // 2.1.112 makes the working directory NFC before anything else, `cwd` included; 2.1.325 leaves it as it is.
        check("/srv/ada/code/cafe\u{301}", "-srv-ada-code-cafe-");
        check("/srv/ada/code/caf\u{e9}", "-srv-ada-code-caf-");
    }

    #[test]
    fn over_two_hundred_units_a_hash_follows() {
        assert_eq!(project_slug(&long(200)), long(200).replace('/', "-"));
        let ends = [
            (long(201), "-7p5mlo"),
            (long(300), "-7a06jl"),
            (format!("{}😀x", long(199)), "a--onudkv"),
            (format!("{}/😀é漢", long(230)), "-o13lfw"),
        ];
        for (path, end) in ends {
            let slug = project_slug(&path);
            assert!(slug.ends_with(end), "{path}: {slug}");
            assert_eq!(slug.len(), 200 + "-7p5mlo".len());
        }
    }
}
