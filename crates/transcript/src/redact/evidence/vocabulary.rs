//! The words of evidence, as data: a new word is a new entry here.

use crate::redact::words::WordList;

/// Words of logins, accounts and ciphers. They speak for a secret, but do not name it.
pub(super) const LOGIN_WORDS: &[&str] = &[
    "login",
    "log in",
    "log on",
    "logon",
    "logs in",
    "logged in",
    "sign in",
    "signin",
    "sign_in",
    "signed in",
    "account",
    "credential",
    "creds",
    "identify",
    "auth",
    "userpwd",
    "wifi",
    "wlan",
    "ssid",
    "crypt",
    "fernet",
    "hmac",
    "hook",
    "community",
    "createuser",
    "user",
    "zugang",
    "try ",
    "root",
    "admin",
    "ssh ",
    "send \"",
    "bind",
    "connect",
    "jwt",
    "benutzer",
    "utilisateur",
    "usuario",
    "utente",
    "gebruiker",
    "логин",
    "用户",
    "ユーザー",
    "vpn",
    "licen",
    "psk",
    "pin",
    "one-time",
    "access code",
    "alarm code",
    "door code",
    "entry code",
    "security code",
    "otp",
    "recovery code",
    "security answer",
    "schlüssel",
    "key content",
];

/// Words of logins that say of the strings beside them that one is a password.
pub(super) const PAIR_WORDS: WordList = WordList(
    "login logon signin credential credentials creds auth basicauth authenticate authentication userpwd identify wifi account \
     accounts user users zugang zugangsdaten bind connect try root admin ssh logins vpn benutzer username",
);

/// Verbs, and other words between the word for a secret and its value.
pub(super) const LINKS: WordList = WordList(
    "is was ist lautet war equals to are es est è é são sao era fue était là jest to je är er on είναι 是 为 為 は 은 는 \
     adalah هي هو है um now still enter type use using with as like called ist's it's its s that's becomes follows from old new",
);

/// Words in headings whose lines are logins: `[users]`, `Test accounts:`.
pub(super) const SECTION_WORDS: WordList = WordList(
    "users admins accounts logins credentials creds passwords secrets stringdata chpasswd zugangsdaten userlist htpasswd \
     administrators operators",
);

/// Words in commands and names of files that show a secret: `cat .htpasswd`, `pass show mail`.
pub(super) const SOURCE_WORDS: WordList = WordList(
    "password passwords passwd htpasswd pgpass pass secret secrets token tokens credential credentials creds apikey askpass \
     psk passphrase pw pwd auth master vault pwgen keychain lookup rand urandom op bw gopass lpass keyfile netrc",
);

/// Commands that print random bytes or a secret, by their words in order.
pub(super) const SOURCE_COMMANDS: &[&str] = &[
    "openssl rand",
    "pwgen",
    "/dev/urandom",
    "pass show",
    "op read",
    "bw get",
    "secret-tool lookup",
    "apg ",
    "xkcdpass",
    "diceware",
    "makepasswd",
    "mkpasswd",
];

/// Commands whose output is lines of files, or nothing secret, whatever their words are.
pub(super) const OTHER_COMMANDS: WordList = WordList(
    "grep rg ag ack find ls git cargo npm yarn pnpm make cd mkdir touch rm mv cp chmod chown wc diff sed awk vim nano code \
     go python python3 node sha256sum md5sum shasum which man",
);

/// Flags for the name of a user, and flags for a password beside them.
pub(super) const USER_FLAGS: WordList = WordList("-u -U -D --user --username -l --login -user -username");
pub(super) const PASSWORD_FLAGS: WordList = WordList("-p -P -w -W -pw -A -X -a");

/// Words after which digits alone are a secret.
pub(super) const CODE_WORDS: &[&str] = &[
    "pin",
    "one-time code",
    "one-time password",
    "one time code",
    "access code",
    "alarm code",
    "door code",
    "entry code",
    "security code",
    "otp",
    "passcode",
    "verification code",
];
