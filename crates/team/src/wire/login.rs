//! A login of the engine: never in an address, never printed.

/// A user name and its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    user: String,
    password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Login({})", self.user)
    }
}

impl Login {
    /// A login; `None` if it cannot be sent in a header.
    pub fn new(user: &str, password: &str) -> Option<Self> {
        let is_plain = |text: &str| text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        let is_login = !user.is_empty() && is_plain(user) && is_plain(password);
        is_login.then(|| Self { user: user.to_owned(), password: password.to_owned() })
    }

    /// Reads a login file: the user name on the first line, the password on the second.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (user, password) = (lines.next()?.trim(), lines.next().unwrap_or_default().trim_end());
        lines.all(|line| line.trim().is_empty()).then(|| Self::new(user, password)).flatten()
    }

    /// The user name.
    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn password(&self) -> &str {
        &self.password
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_file_has_two_lines() {
        assert_eq!(Login::parse("ann\nse cret\n"), Login::new("ann", "se cret"));
        assert_eq!(Login::parse("ann\r\nsecret\r\n\n"), Login::new("ann", "secret"));
        assert_eq!(Login::parse("ann"), Login::new("ann", ""));
        for bad in ["", "\nsecret", "ann\nsecret\nmore", "ann\nse\u{7}cret"] {
            assert_eq!(Login::parse(bad), None, "{bad:?}");
        }
        assert_eq!(format!("{:?}", Login::new("ann", "secret").unwrap()), "Login(ann)");
    }
}
