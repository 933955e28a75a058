//! Decides by its words whether a name announces a secret: `ADMIN_PASSWORD` does, `max_tokens` and `keyName` do not.

use super::languages::{self, ForeignWord};
use super::words::{WordList, parts};

/// How surely a name announces a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// A password, which a person may have chosen.
    Password,
    /// A token, a key, a secret: made by a program.
    Strong,
    /// Perhaps one of them.
    Weak,
}

impl Strength {
    /// How surely a word of another language announces a secret.
    pub(super) fn of(word: ForeignWord) -> Self {
        match word {
            ForeignWord::Password => Self::Password,
            ForeignWord::Key => Self::Strong,
        }
    }
}

/// Parts of text at which a name may announce a secret; what is found is looked at by its words.
pub(super) const TRIGGERS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "bearer",
    "cookie",
    "sig",
    "jwt",
    "kennwort",
    "psk",
    "pw",
    "session",
    "sessid",
    "seed",
    "contrasena",
    "motdepasse",
    "wachtwoord",
    "_pat",
    "salt",
];

static PASSWORDS: WordList = WordList::new(
    "password passwd passphrase passcode passwort kennwort pwd pass pw passwordless psk requirepass masterauth \
     authtok bindpw rootpw storepass keypass dbpass rootpass userpass adminpass contrasena motdepasse wachtwoord passe",
);
/// The same in variables of the environment, where words are often joined: `SSHPASS`.
const GLUED_VARIABLES: &[&str] = &["PASS", "PASSWD", "PWD", "PW"];
/// Words that end like one of them.
static PLAIN_VARIABLES: WordList =
    WordList::new("BYPASS COMPASS ENCOMPASS SURPASS TRESPASS OVERPASS UNDERPASS OLDPWD");
/// What stands before `pass` in one word: `remotepass`.
static PASS_PREFIXES: WordList =
    WordList::new("remote local imap smtp pop mail ftp ldap sql my http proxy vpn wifi key cert web svn");
const GLUED_PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passwort"];
const SECRETS: &[&str] = &["secret", "token", "bearer", "apitoken"];
const GLUED_KEYS: &[&str] = &[
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "masterkey",
    "authkey",
    "sharedkey",
    "servicekey",
    "presharedkey",
    "sessionkey",
    "licensekey",
];
/// `token` and `secret` after one of these, as one word.
static GLUED_PREFIXES: WordList = WordList::new(
    "access auth refresh bearer api id session bot app user identity client shared consumer webhook jwt hmac \
     personal registry deploy psk",
);
/// A `key` after one of these is secret.
static KEY_ADJECTIVES: WordList = WordList::new(
    "api access secret private signing sign encryption encrypt decryption auth account master service shared \
     license storage client session deploy ssh hmac cipher crypto webhook admin consumer integration ingest \
     server root preshared aes jwt subscription rsa ecdsa wallet bot functions instrumentation restricted cookie \
     anon role validation write ingestion unseal recovery transfer sdk vault seed bearer network personal developer \
     merchant record des application app routing product serial activation openai anthropic mistral cohere groq deepl \
     algolia pinecone datadog",
);
/// A `key` after one of these is not.
static PLAIN_KEYS: WordList = WordList::new(
    "public foreign primary sort cache partition publishable query unique object map dict hot arrow shift enter \
     row react idempotency composite natural group s3 host short pub known item storagekey",
);
/// Words before a `token` that is a part of a text or of a list.
static PLAIN_TOKENS: WordList = WordList::new(
    "max min total num count page next continuation cursor sync resume csrf xsrf pad eos bos unk mask special \
     stop input output prompt cached per budget usage design lock change idempotency verification action product \
     concurrency upload",
);
/// Words after which a name is that of something else: of a place, a size, a part of a program.
static HARMLESS_TAILS: WordList = WordList::new(
    "count counts limit limits type types name names path paths file files filename dir url uri length len size \
     usage expire expires expired expiry expiration ttl lifetime timeout hash hashes hashed budget rotation \
     version policy id ids window field fields input inputs label placeholder hint regex pattern format prefix \
     suffix header headers param params parameter arg args option options mode strategy provider providers \
     manager service endpoint index stdin required strength rule rules reset change changed forgot error errors \
     exception message messages text title description validator validation schema model table column factory \
     handler helper util utils class component form page view button enabled disabled flag status state cost \
     costs price rate parser kind list set map store cache source stream ring chain pair generator bucket alg \
     algorithm issuer scope interval",
);
/// Words that change nothing behind the word of a secret.
static NEUTRAL_TAILS: WordList = WordList::new(
    "value val key base string str raw plain data prod production dev development stage staging test live sandbox \
     main primary secondary new old current default admin root user b64 encoded env local v",
);
/// Names that count only in a query, a header or a file of credentials.
const QUERY_NAMES: &[&str] = &["sig", "signature", "key", "auth", "jwt", "credential"];

/// All parts of text at which a name may announce a secret, in any language.
pub(super) fn triggers() -> impl Iterator<Item = String> {
    let ascii = TRIGGERS.iter().copied().chain(languages::triggers()).map(str::to_owned);
    ascii.chain(languages::spellings().map(|(word, _)| word))
}

/// What a name announces, by its words; `None` for a harmless one.
pub(super) fn strength(name: &str) -> Option<Strength> {
    if (!name.is_ascii() || name.contains(' '))
        && let Some(word) = languages::of_phrase(name)
    {
        return Some(Strength::of(word));
    }
    let words: Vec<String> = parts(name).map(str::to_ascii_lowercase).collect();
    let (head, found) = (0..words.len()).rev().find_map(|at| Some((at, of_word(&words, at, name)?)))?;
    let before = &words[..head];
    let tails = &words[head + 1..];
    if tails.iter().any(|tail| HARMLESS_TAILS.contains(tail.as_str())) {
        return None;
    }
    let is_plain_token =
        words[head] == "token" && before.iter().any(|word| PLAIN_TOKENS.contains(word.as_str()));
    let is_public = before.iter().any(|word| ["public", "publishable"].contains(&word.as_str()));
    if is_plain_token || is_public {
        return None;
    }
    let is_neutral = |tail: &String| {
        NEUTRAL_TAILS.contains(tail.as_str()) || tail.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_sure = tails.iter().all(is_neutral);
    Some(if is_sure { found } else { Strength::Weak })
}

/// What one word of a name announces.
fn of_word(words: &[String], at: usize, name: &str) -> Option<Strength> {
    let word = words[at].as_str();
    let previous = at.checked_sub(1).map(|at| words[at].as_str());
    let is_variable = |tail: &&str| {
        name.len() > tail.len() + 1
            && !name.bytes().any(|byte| byte.is_ascii_lowercase())
            && word.to_ascii_uppercase().strip_suffix(*tail).is_some_and(|head| head.len() >= 2)
            && !PLAIN_VARIABLES.words().any(|plain| word.to_ascii_uppercase().ends_with(plain))
    };
    if GLUED_VARIABLES.iter().any(is_variable) {
        return Some(Strength::Password);
    }
    if PASSWORDS.contains(word) || GLUED_PASSWORDS.iter().any(|tail| word.ends_with(tail)) {
        let is_short = ["pass", "pw", "psk"].contains(&word);
        return (!is_short || previous.is_some() || words.len() == 1).then_some(Strength::Password);
    }
    if word.strip_suffix("pass").is_some_and(|prefix| PASS_PREFIXES.contains(prefix)) {
        return Some(Strength::Password);
    }
    let is_glued = ["token", "secret"]
        .iter()
        .any(|tail| word.strip_suffix(tail).is_some_and(|prefix| GLUED_PREFIXES.contains(prefix)));
    if SECRETS.contains(&word) || is_glued || GLUED_KEYS.iter().any(|tail| word.ends_with(tail)) {
        return Some(Strength::Strong);
    }
    match word {
        "phrase" if previous == Some("pass") => Some(Strength::Password),
        "key" if previous.is_some_and(|word| KEY_ADJECTIVES.contains(word)) => Some(Strength::Strong),
        "key" if previous.is_none_or(|word| PLAIN_KEYS.contains(word)) => None,
        "key" => (is_environment(name) || is_header(name)).then_some(Strength::Weak),
        // A personal access token.
        "pat" => (is_environment(name) && previous.is_some()).then_some(Strength::Strong),
        "credential" | "credentials" | "creds" | "jwt" => Some(Strength::Weak),
        "auth" if words.len() <= 2 => Some(Strength::Weak),
        "sessionid" | "phpsessid" | "jsessionid" | "sessid" => Some(Strength::Weak),
        "session" | "seed" | "salt" if is_environment(name) => Some(Strength::Weak),
        _ => languages::of_word(word).map(Strength::of),
    }
}

/// What "API key" announces.
pub(super) fn strength_of_words(before: &str, word: &str) -> Option<Strength> {
    let is_key = word.eq_ignore_ascii_case("key") && KEY_ADJECTIVES.contains(&before.to_ascii_lowercase());
    is_key.then_some(Strength::Strong)
}

/// Whether "my … key" is the key of a service.
pub(super) fn is_own_key(before: &str, word: &str) -> bool {
    word.eq_ignore_ascii_case("key")
        && before.len() >= 3
        && !PLAIN_KEYS.contains(&before.to_ascii_lowercase())
}

/// Whether a name of a query, such as `sig`, announces a secret there.
pub(super) fn is_query_name(name: &str) -> bool {
    parts(name).last().is_some_and(|last| QUERY_NAMES.contains(&last.to_ascii_lowercase().as_str()))
}

/// `DATABASE_PASSWORD` is an environment variable.
pub(super) fn is_environment(name: &str) -> bool {
    // `env.DATABASE_PASSWORD` too.
    let name = name.rsplit('.').next().unwrap_or(name);
    name.contains('_') && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// `X-Auth-Token` is a header.
pub(super) fn is_header(name: &str) -> bool {
    name.contains('-')
        && name.split('-').all(|part| part.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_words() {
        for name in [
            "ADMIN_PASSWORD",
            "DB_PASS",
            "pwd",
            "Pwd",
            "userPassword",
            "mypassword",
            "PGPASSWORD",
            "passphrase",
            "db.password",
            "password_1",
            "PASSWORD_PROD",
            "spring.datasource.password",
        ] {
            assert_eq!(strength(name), Some(Strength::Password), "{name}");
        }
        for name in [
            "MINIO_SECRET_KEY",
            "GEMINI_API_KEY",
            "ACCOUNT_TOKEN",
            "TYPESENSE_API_KEY",
            "NAMECHEAP_API_KEY",
            "PROFILE_SECRET",
            "HASHICORP_VAULT_TOKEN",
            "clientSecret",
            "client_secret",
            "accessToken",
            "x-api-key",
            "AccountKey",
            "apikey",
            "authToken",
            "_authToken",
            "SECRET_KEY_BASE",
            "aws_secret_access_key",
            "SharedAccessKey",
            "private_key",
            "MAXIM_API_KEY",
            "refreshtoken",
            "NEXTAUTH_SECRET",
            "client-key-data",
            "PresharedKey",
        ] {
            assert_eq!(strength(name), Some(Strength::Strong), "{name}");
        }
        for name in [
            "max_tokens",
            "token_count",
            "keyName",
            "passwordField",
            "tokens",
            "secretary",
            "tokenizer",
            "primary_key",
            "cacheKey",
            "nextPageToken",
            "csrfToken",
            "publicKey",
            "NEXT_PUBLIC_API_KEY",
            "token_type",
            "apiKeyUrl",
            "password_hash",
            "bypass",
            "compass",
            "secretName",
            "keyboard",
            "monkey",
            "key",
            "author",
            "input_token",
            "passwordReset",
            "signature",
            "keyof",
        ] {
            assert_eq!(strength(name), None, "{name}");
        }
        for name in ["STRIPE_KEY", "token_for_ci", "credentials"] {
            assert_eq!(strength(name), Some(Strength::Weak), "{name}");
        }
    }
}
