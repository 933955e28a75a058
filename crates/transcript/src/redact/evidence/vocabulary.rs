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
    "get in",
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
    "vpn",
    "licen",
    "activation code",
    "psk",
    "one-time",
    "recovery code",
    "security answer",
    "key content",
];

/// Words of logins that say of the strings beside them that one is a password.
pub(super) static PAIR_WORDS: WordList = WordList::new(
    "login logon signin credential credentials creds auth basicauth authenticate authentication userpwd identify wifi account \
     accounts user users zugang zugangsdaten bind connect try root admin ssh logins vpn benutzer username",
);

/// Verbs, and other words between the word for a secret and its value.
pub(super) static LINKS: WordList = WordList::new(
    "is was ist lautet war equals to are es est è é são sao era fue était là jest to je är er on είναι 是 为 為 は 은 는 \
     ialah ni yw da ir yra és està está ay ná na ligger lyder sono است 입니다 е є на \
     adalah este هي هو है um now still enter type use using with as like called ist's it's its s that's becomes follows from old new",
);

/// Words in headings whose lines are logins: `[users]`, `Test accounts:`.
pub(super) static SECTION_WORDS: WordList = WordList::new(
    "users admins accounts logins credentials creds passwords secrets stringdata chpasswd zugangsdaten userlist htpasswd \
     administrators operators tokens apikeys",
);

/// Words in commands and names of files that show a secret: `cat .htpasswd`, `pass show mail`.
pub(super) static SOURCE_WORDS: WordList = WordList::new(
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
pub(super) static OTHER_COMMANDS: WordList = WordList::new(
    "grep rg ag ack find ls git cargo npm yarn pnpm make cd mkdir touch rm mv cp chmod chown wc diff sed awk vim nano code \
     go python python3 node sha256sum md5sum shasum which man",
);

/// Flags for the name of a user, and flags for a password beside them.
pub(super) static USER_FLAGS: WordList =
    WordList::new("-u -U -D --user --username -l --login -user -username");
pub(super) static PASSWORD_FLAGS: WordList = WordList::new("-p -P -w -W -pw -A -X -a");

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
    "confirmation code",
    "2fa code",
    "mfa code",
    "sms code",
    "auth code",
    "login code",
    "gate code",
    "safe code",
    "unlock code",
    "lock code",
    "cvv",
    "cvc",
];

/// Words for secrets in the names of files and in commands that can mean nothing else.
pub(super) static SURE_NOUNS: WordList = WordList::new(
    "password passwords passwd passphrase htpasswd pgpass secret secrets credential credentials creds apikey apikeys psk \
     requirepass keychain vault kennwort passwort netrc secretstring",
);
/// The same for words that mean other things, too: in the names of files, and in commands.
pub(super) static FILE_NOUNS: WordList = WordList::new("token tokens pass pw pwd auth login keyfile askpass");
pub(super) static TOKEN_NOUNS: WordList = WordList::new("token tokens keyfile askpass keyvault");
pub(super) static TOPIC_NOUNS: WordList = WordList::new("auth login pass pw pwd");
/// Programs that keep secrets.
pub(super) static SECRET_PROGRAMS: WordList = WordList::new(
    "pass op bw lpass gopass keepassxc-cli secret-tool rbw doppler infisical chamber sops envchain akeyless berglas",
);
/// Verbs of commands that show something.
pub(super) static SHOW_VERBS: WordList = WordList::new(
    "get show read print output view lookup access find reveal decrypt dump select fetch generate gen create issue item \
     initial query",
);
/// Words of commands that list names, or write.
pub(super) static LISTING_WORDS: WordList = WordList::new(
    "list ls delete rm remove set put write insert update apply edit rotate revoke enable disable test tests",
);
/// Programs that print what they read, or a part of it.
pub(super) static FILTERS: WordList = WordList::new(
    "cat head tail less more bat sed awk gawk grep egrep zcat tac nl jq yq cut tr strings type tee sort uniq",
);
/// Those of them whose first operand is what they look for or do.
pub(super) static SEARCHES: WordList = WordList::new("grep egrep sed awk gawk tr");
/// Programs that print nothing, or what they are told.
pub(super) static SILENT_COMMANDS: WordList = WordList::new(
    "cd export source set mkdir echo printf test [ [[ sleep true touch rm chmod umask unset . pushd popd for do done fi",
);
/// Programs after which nothing of a secret is left.
pub(super) static DIGEST_COMMANDS: WordList =
    WordList::new("wc md5sum sha1sum sha256sum sha512sum shasum md5 cksum b2sum git true pbcopy xclip");
/// Programs before the one that matters.
pub(super) static WRAPPERS: WordList =
    WordList::new("sudo time nohup command exec doas nice then do if while ! ( {");
/// Flags whose value is given to a program.
pub(super) static PASSED_FLAGS: WordList = WordList::new(
    "-H --header -u --user -d --data --data-raw -b --cookie -A -F --form --password --token --secret -p",
);
/// Parts of commands that make up a secret.
pub(super) const GENERATORS: &[&str] = &[
    "openssl rand",
    "/dev/urandom",
    "token_urlsafe",
    "token_hex",
    "randomBytes",
    "random_secret_key",
    "secretsmanager get",
    "get-session-token",
    "assume-role",
    "get-login-password",
    "print-access-token",
    "get-access-token",
    "key:generate",
    "genkey",
    "pwgen",
    "xkcdpass",
    "diceware",
    "makepasswd",
    "mkpasswd",
    "apg -",
    "random_password",
    "credentials:show",
    "config:get",
    "sops -d",
    "sops --decrypt",
    "ansible-vault view",
    "account keys list",
    "keys list -g",
    "credential show",
    "join-token",
    "kubeadm token create",
    "rails secret",
    "rake secret",
    "mix phx.gen.secret",
    "gh auth token",
    "print-identity-token",
    "create-access-key",
    "get-parameter --name",
    "find-generic-password",
    "find-internet-password",
    "secrets versions access",
    "generate-password",
    "get-random-password",
    "RNGCryptoServiceProvider",
    "SecureRandom.",
    "wp config get",
];
/// Files of secrets by their names.
pub(super) static SECRET_FILES: WordList = WordList::new(
    ".pgpass .netrc _netrc .my.cnf .mylogin.cnf .git-credentials .htpasswd .vault-token .dockercfg .pypirc .npmrc .s3cfg .boto \
     chap-secrets pap-secrets .smbcredentials .passwd .credentials .secrets .token id_rsa id_ed25519",
);
/// Files of settings among which are secrets.
pub(super) static CONFIG_FILES: WordList = WordList::new(
    "gradle.properties application.properties application.yml application.yaml local.settings.json web.config app.config \
     settings.xml keystore.properties key.properties local.properties rclone.conf wg0.conf wpa_supplicant.conf my.cnf odbc.ini \
     parameters.yml config.xml hosts.yml credentials.xml",
);
/// Words in the names of files of users.
pub(super) static LOGIN_FILES: WordList = WordList::new("users accounts logins admins userlist operators");
/// Words in the names of files that have no values yet.
pub(super) static SAMPLE_FILES: WordList = WordList::new(
    "example sample template dist schema test tests spec mock fixture fixtures snap policy readme",
);
/// Endings of programs, documents and pictures, which hold no values.
pub(super) static PLAIN_ENDINGS: WordList = WordList::new(
    "rs py ts tsx js jsx mjs cjs go java kt c h cc cpp hpp cs rb php sh bash zsh fish pl lua swift dart ex exs md mdx rst html \
     htm css scss less svg png jpg jpeg gif webp pdf lock log diff patch vue svelte scala clj erl hs ml jl r tf proto graphql \
     sql ipynb pub crt cer so dll exe zip gz tar tgz wasm map snap d feature jsonl",
);
/// Endings of files that hold values and little else.
pub(super) static VALUE_ENDINGS: WordList =
    WordList::new("txt conf cfg ini cnf key secret token pass passwd properties");
/// Names of values that are none of these secrets.
pub(super) static PLAIN_NAMES: WordList = WordList::new(
    "id ids uid guid uuid sha sha1 sha256 sha512 md5 hash digest etag cursor page nonce integrity checksum public pub address \
     addr commit revision rev version build trace span request fingerprint thumbprint slug branch ref tree file filename path \
     name names url uri host hostname port email mail type kind role roles group user users username login title description \
     label image date time timestamp created updated expires expiration status state namespace region zone arn region command \
     cwd project account profile issuer subject subjects serial algorithm alg length size count level mode shell home lang \
     resource owner table column database schema bucket endpoint server domain realm tag tags error message reason",
);
/// Verbs with which a message asks for something.
pub(super) static ASK_WORDS: WordList =
    WordList::new("paste enter provide send share give tell need type supply bitte gib donne envía envoie");

/// Words of sentences about passwords, which no passphrase is made of.
pub(super) static SENTENCE_WORDS: WordList = WordList::new(
    "the and for are but not you all any can had her was one our out has him his how its let may new now old see two way who \
     did get got use used uses using that with have this will your from they know want been good much some time very when come \
     here just like long make many more most only over such take than them then well were what where which while must should \
     would could never always also into about after again before being below between both each few further once same under until \
     why during does doing during via per yes too still sent send set wrong right correct incorrect valid invalid empty blank \
     missing plain text clear hash hashes case sensitive weak strong safe secure same different different different least minimum maximum eight \
     characters character letters digits number numbers length long short too none null true false env file files field fields \
     form input value values variable variables config database server user users name names email login account admin page \
     token tokens secret secrets key keys string strings argument option flag default prompt policy change reset update check \
     store stores keep read write show shows hide match matches equal equals expire expires fail fails error errors test tests \
     example sample optional free public private local remote first last next part parts line lines code function method class \
     type types object return returns because since though however whether either neither there their these those every other \
     another instead without within across against exactly already another anything something nothing anyone someone",
);

/// Words for getting in.
pub(super) static ENTRIES: WordList = WordList::new(
    "login logon logins signin cred creds credential credentials auth basicauth zugang zugangsdaten userpwd identify",
);

/// Names before a colon that are no users.
pub(super) static NO_USERS: WordList = WordList::new(
    "user username login name email mail host hostname port id url uri path file type role key value title version date time \
     http https ftp note notes line error warning info debug see e.g via app db database server service branch commit message",
);

/// Names in a list of users that are no users.
pub(super) static ITEM_FIELDS: WordList = WordList::new(
    "name id email mail host port role roles group groups type uid gid home shell url kind version image path state status \
     key value created updated label title description count total namespace metadata",
);

/// How lines of programs begin.
pub(super) static KEYWORDS: WordList = WordList::new(
    "let const var val def fn func function return if for while import from class public private protected static type use \
     package assert assert_eq! async await export interface struct enum impl pub throw new else elif switch case match mod",
);

/// Names that say nothing of their values.
pub(super) static VALUE_NAMES: WordList = WordList::new(
    "value val default content data body text new old now it this these here following follows below a q",
);

/// Methods that enter a text into a field.
pub(super) static INPUT_CALLS: WordList = WordList::new(
    "type fill send_keys sendkeys setvalue set_value typetext input_text entertext presssequentially press_sequentially",
);

/// Phrases for getting in.
pub(super) const ENTRY_PHRASES: &[&str] =
    &["log in", "log on", "logged in", "logs in", "sign in", "signed in", "get in"];
/// Parts of words that are about logins, and of words that are about secrets.
pub(super) const LOGIN_PARTS: &[&str] = &["wifi", "wlan", "userpwd", "getconnection", "mysqli"];
pub(super) const TOPIC_PARTS: &[&str] =
    &["passw", "crypt", "fernet", "hmac", "hook", "cred", "jwt", "community", "createuser"];
