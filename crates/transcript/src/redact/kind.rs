//! The kinds of secrets, with the names used in placeholders, `--kind` and reports.

/// What a secret is for, or which service it opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SecretKind {
    /// A block of a private key, PEM or OpenSSH.
    PrivateKey,
    /// A key of AWS.
    Aws,
    /// A token of GitHub.
    GitHub,
    /// A token of GitLab.
    GitLab,
    /// A token or hook of Slack.
    Slack,
    /// A key of Stripe.
    Stripe,
    /// A key or token of Google.
    Google,
    /// A key of Anthropic.
    Anthropic,
    /// A key of OpenAI, or of a service with the same format.
    OpenAi,
    /// A token of npm.
    Npm,
    /// A token of PyPI.
    PyPi,
    /// A token of Hugging Face.
    HuggingFace,
    /// A key of another service, known by its format.
    ApiKey,
    /// A JSON web token.
    Jwt,
    /// The credentials in an address.
    ConnectionString,
    /// What an `Authorization` header carries.
    Authorization,
    /// The value of a cookie.
    Cookie,
    /// The value of a variable, field or argument with a secret name.
    Assignment,
    /// A random string near a word such as "token".
    Entropy,
    /// A match of a pattern of the user.
    Pattern,
}

impl SecretKind {
    /// Every kind.
    pub const ALL: [Self; 20] = [
        Self::PrivateKey,
        Self::Aws,
        Self::GitHub,
        Self::GitLab,
        Self::Slack,
        Self::Stripe,
        Self::Google,
        Self::Anthropic,
        Self::OpenAi,
        Self::Npm,
        Self::PyPi,
        Self::HuggingFace,
        Self::ApiKey,
        Self::Jwt,
        Self::ConnectionString,
        Self::Authorization,
        Self::Cookie,
        Self::Assignment,
        Self::Entropy,
        Self::Pattern,
    ];

    /// Returns the stable name, as in placeholders and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private-key",
            Self::Aws => "aws-key",
            Self::GitHub => "github-token",
            Self::GitLab => "gitlab-token",
            Self::Slack => "slack-token",
            Self::Stripe => "stripe-key",
            Self::Google => "google-key",
            Self::Anthropic => "anthropic-key",
            Self::OpenAi => "openai-key",
            Self::Npm => "npm-token",
            Self::PyPi => "pypi-token",
            Self::HuggingFace => "huggingface-token",
            Self::ApiKey => "api-key",
            Self::Jwt => "jwt",
            Self::ConnectionString => "connection-string",
            Self::Authorization => "authorization",
            Self::Cookie => "cookie",
            Self::Assignment => "assignment",
            Self::Entropy => "entropy",
            Self::Pattern => "pattern",
        }
    }

    /// Whether its format alone makes it a secret, wherever it stands.
    pub(super) fn is_format(self) -> bool {
        !matches!(
            self,
            Self::ConnectionString
                | Self::Authorization
                | Self::Cookie
                | Self::Assignment
                | Self::Entropy
                | Self::Pattern
        )
    }

    /// Returns the kind with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl std::fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
