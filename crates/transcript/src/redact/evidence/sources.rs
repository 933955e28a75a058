//! Whether a command, a file or an address shows secrets, by its words.

use super::vocabulary::{
    CONFIG_FILES, DIGEST_COMMANDS, FILE_NOUNS, FILTERS, GENERATORS, LISTING_WORDS, LOGIN_FILES,
    OTHER_COMMANDS, PASSED_FLAGS, PLAIN_ENDINGS, SAMPLE_FILES, SEARCHES, SECRET_FILES, SECRET_PROGRAMS,
    SHOW_VERBS, SILENT_COMMANDS, SURE_NOUNS, TOKEN_NOUNS, TOPIC_NOUNS, VALUE_ENDINGS, WRAPPERS,
};
use crate::redact::names::{self, Strength};
use crate::redact::origin::TextOrigin;
use crate::redact::words::{WordList, parts};

/// The longest name of a variable or a field.
const MAX_NAME_BYTES: usize = 64;

/// The origin of what a command prints. If not all of its parts show secrets, what they print has to do with secrets only.
pub(in crate::redact) fn of_command(command: &str) -> TextOrigin {
    let pipelines = split(command, |rest| match rest {
        [b'&', b'&', ..] | [b'|', b'|', ..] => 2,
        [b';' | b'\n', ..] => 1,
        _ => 0,
    });
    let (mut origin, mut others) = (TextOrigin::Unknown, 0);
    for stages in pipelines.map(stages) {
        let of_pipeline = of_pipeline(&stages);
        let is_silent = stages.first().is_none_or(|stage| SILENT_COMMANDS.contains(stage.program));
        others += usize::from(of_pipeline == TextOrigin::Unknown && !is_silent);
        origin = origin.or(of_pipeline);
    }
    if origin != TextOrigin::Unknown && others > 0 { TextOrigin::Topic } else { origin }
}

/// The origin of what a tool returns whose name and arguments have these words.
pub(in crate::redact) fn of_words(words: &str) -> TextOrigin {
    of_parts(Noun::None, words.split_whitespace())
}

/// The origin of a page.
pub(in crate::redact) fn of_address(address: &str) -> TextOrigin {
    match Noun::of(address) {
        Noun::None => TextOrigin::Unknown,
        Noun::Topic | Noun::Secret => TextOrigin::Topic,
    }
}

/// The origin of the content of a file.
pub(in crate::redact) fn of_file(path: &str) -> TextOrigin {
    let path = path.trim_matches(['"', '\'', '<', '>', '(', ')', '@', '`']).to_ascii_lowercase();
    let (folders, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", &path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let has = |list: &WordList, text: &str| parts(text).any(|part| list.contains(part));
    if name.is_empty() || has(&SAMPLE_FILES, name) || PLAIN_ENDINGS.contains(ending) {
        return TextOrigin::Unknown;
    }
    let folder = folders.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_value = ending.is_empty() || VALUE_ENDINGS.contains(ending);
    match () {
        () if SECRET_FILES.contains(name) => TextOrigin::Secrets,
        // `.docker/config.json`, `.kube/config`
        () if [".docker", ".kube", ".aws"].contains(&folder) && stem != "readme" => TextOrigin::Topic,
        () if stem.starts_with(".env") || name.starts_with(".env") || ending == "env" => TextOrigin::Topic,
        () if CONFIG_FILES.contains(name) || stem.starts_with("appsettings") && ending == "json" => {
            TextOrigin::Topic
        }
        () if ending == "tfvars" || ending == "environ" || name == "environ" => TextOrigin::Topic,
        () if ending == "key" || stem.ends_with("_key") && is_value => TextOrigin::Secrets,
        () if has(&SURE_NOUNS, stem) || has(&SURE_NOUNS, ending) => TextOrigin::Secrets,
        () if has(&SURE_NOUNS, folder) && is_value => TextOrigin::Secrets,
        () if has(&FILE_NOUNS, stem) && is_value => TextOrigin::Secrets,
        () if has(&LOGIN_FILES, stem) && is_value => TextOrigin::Users,
        () if has(&FILE_NOUNS, stem) || has(&SURE_NOUNS, folder) => TextOrigin::Topic,
        () => TextOrigin::Unknown,
    }
}

/// The programs of a pipeline.
fn stages(pipeline: &str) -> Vec<Stage<'_>> {
    split(pipeline, |rest| usize::from(rest[0] == b'|')).map(Stage::of).collect()
}

/// The origin of what the last program of a pipeline prints.
fn of_pipeline(stages: &[Stage<'_>]) -> TextOrigin {
    let mut origin = TextOrigin::Unknown;
    for stage in stages {
        match () {
            () if stage.is_written || DIGEST_COMMANDS.contains(stage.program) => return TextOrigin::Unknown,
            () => origin = origin.or(stage.origin()),
        }
    }
    origin
}

/// One program of a pipeline.
struct Stage<'c> {
    text: &'c str,
    program: &'c str,
    words: Vec<&'c str>,
    /// Whether a file gets its output.
    is_written: bool,
}

impl<'c> Stage<'c> {
    fn of(text: &'c str) -> Self {
        let words: Vec<&str> = split(text, |rest| usize::from(rest[0].is_ascii_whitespace()))
            .map(|word| word.trim_matches(['"', '\'']))
            .filter(|word| !word.is_empty())
            .collect();
        let is_lead = |word: &&str| WRAPPERS.contains(word) || word.contains('=') && !word.starts_with('-');
        let program = words.iter().find(|word| !is_lead(word)).copied().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        let is_written = words.iter().any(|word| {
            let target = word.trim_start_matches('1');
            target.starts_with('>') && !target.starts_with(">&") && !word.contains("/dev/")
        });
        Self { text, program, words, is_written }
    }

    fn origin(&self) -> TextOrigin {
        if GENERATORS.iter().any(|generator| self.text.contains(generator)) {
            return TextOrigin::Secrets;
        }
        if let Some(at) = self.words.iter().position(|word| is_filter(word)) {
            return self.of_operands(at);
        }
        match self.program {
            "env" | "printenv" | "set" | "export" if self.words.len() == 1 => TextOrigin::Topic,
            "echo" | "printf" => self.variable(),
            program if OTHER_COMMANDS.contains(program) => TextOrigin::Unknown,
            _ => self.of_arguments(),
        }
    }

    /// `cat .pgpass`, `jq -r .access_token`; what `grep` looks for says nothing.
    fn of_operands(&self, filter: usize) -> TextOrigin {
        let operands = self.words[filter + 1..].iter().filter(|word| !word.starts_with('-'));
        let is_search = SEARCHES.contains(self.words[filter]);
        let of_word = |word: &&str| match word.strip_prefix('.') {
            Some(field) if !word.contains('/') && names::strength(field).is_some() => TextOrigin::Secrets,
            _ if word.contains(['|', '^', '$', '*', '(', '[', '\\', ' ', ',', ';', '=']) => {
                TextOrigin::Unknown
            }
            _ => of_file(word),
        };
        operands.skip(usize::from(is_search)).map(of_word).fold(TextOrigin::Unknown, TextOrigin::or)
    }

    /// `echo $DB_PASSWORD`
    fn variable(&self) -> TextOrigin {
        let is_secret = |word: &&str| {
            let name = word.trim_start_matches(['$', '{']).trim_end_matches('}');
            word.starts_with('$') && names::strength(name).is_some()
        };
        if self.words.len() <= 3 && self.words.iter().any(is_secret) {
            TextOrigin::Secrets
        } else {
            TextOrigin::Unknown
        }
    }

    /// What its arguments ask for. A secret that is given to it, in a variable or behind a flag, is none that it shows.
    fn of_arguments(&self) -> TextOrigin {
        let mut is_passed = false;
        let asked = self.words.iter().copied().filter(|word| {
            let is_value = std::mem::replace(&mut is_passed, PASSED_FLAGS.contains(word));
            !is_value && !word.starts_with('-') && !word.contains('$')
        });
        let is_vault = SECRET_PROGRAMS.contains(self.program);
        let noun = if is_vault { Noun::Secret } else { Noun::None };
        let origin = match of_parts(noun, asked) {
            // What such a program prints without being told what to do.
            TextOrigin::Topic if is_vault => TextOrigin::Secrets,
            origin => origin,
        };
        // `env`, inside of a container.
        let shows_all = self.words.last().is_some_and(|word| ["env", "printenv"].contains(word));
        let of_variable =
            self.words.windows(2).any(|two| two[0] == "printenv" && Noun::of(two[1]) == Noun::Secret);
        match () {
            () if of_variable => TextOrigin::Secrets,
            () if shows_all => origin.or(TextOrigin::Topic),
            () => origin,
        }
    }
}

fn is_filter(word: &str) -> bool {
    FILTERS.contains(word.rsplit('/').next().unwrap_or(word))
}

fn of_parts<'w>(noun: Noun, words: impl Iterator<Item = &'w str>) -> TextOrigin {
    let (mut noun, mut shows, mut lists) = (noun, false, false);
    for word in words {
        noun = noun.max(Noun::of(word));
        for part in parts(word) {
            let part = part.to_ascii_lowercase();
            shows |= SHOW_VERBS.contains(&part);
            lists |= LISTING_WORDS.contains(&part);
        }
    }
    match noun {
        Noun::None => TextOrigin::Unknown,
        _ if lists => TextOrigin::Unknown,
        Noun::Secret if shows => TextOrigin::Secrets,
        Noun::Topic | Noun::Secret => TextOrigin::Topic,
    }
}

/// What the words of a text mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Noun {
    None,
    /// One has to do with secrets.
    Topic,
    /// One means secrets.
    Secret,
}

impl Noun {
    fn of(text: &str) -> Self {
        let of_part = |part: &str| {
            let part = part.to_ascii_lowercase();
            match () {
                () if SURE_NOUNS.contains(&part) || TOKEN_NOUNS.contains(&part) => Self::Secret,
                () if TOPIC_NOUNS.contains(&part) => Self::Topic,
                () => Self::None,
            }
        };
        let is_name = text.len() <= MAX_NAME_BYTES
            && names::strength(text.trim_matches(['{', '}', '.']))
                .is_some_and(|strength| strength != Strength::Weak);
        let has_key = ["api-key", "api_key", "apiKey"].iter().any(|name| text.contains(name));
        match is_name || has_key {
            true => Self::Secret,
            false => parts(text).map(of_part).max().unwrap_or(Self::None),
        }
    }
}

/// Cuts a command where `cut` says how long a separator is, outside quotes.
fn split<'c>(text: &'c str, cut: impl Fn(&[u8]) -> usize + 'c) -> impl Iterator<Item = &'c str> {
    let bytes = text.as_bytes();
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let (mut at, mut quote) = (start, None);
        while at < bytes.len() {
            let byte = bytes[at];
            match quote {
                Some(open) if byte == open => quote = None,
                None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                None => {
                    let length = cut(&bytes[at..]);
                    if length > 0 {
                        next = Some(at + length);
                        return text.get(start..at);
                    }
                }
                Some(_) => {}
            }
            at += 1;
        }
        next = None;
        text.get(start..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_show_secrets_are_known_by_their_words() {
        for command in [
            "cat ~/.pgpass",
            "cd /srv && sudo cat secrets/db.txt",
            "kubectl get secret x -o jsonpath='{.data.p}' | base64 -d",
            "pass show mail",
            "openssl rand -hex 8",
            "psql -c \"select id, token from tokens; select 1\" shop",
            "curl -s https://h.net/login -d @x | jq -r .access_token",
            "echo \"$DB_PASSWORD\"",
            "docker exec web cat /run/secrets/smtp",
        ] {
            assert_eq!(of_command(command), TextOrigin::Secrets, "{command}");
        }
        for command in [
            "grep -rn password src/",
            "cat src/auth/token.rs",
            "git log --grep token",
            "cargo test secrets",
            "curl -H \"Authorization: Bearer $TOKEN\" https://h.net/users",
            "kubectl create ns shop",
            "sha256sum secrets/db.txt",
            "cat secrets.txt | wc -l",
            "pass show mail > /tmp/x",
            "ls -la ~/.ssh/secrets",
            "cat .env.example",
            "vault list secret/",
            "go test -v 2>&1 | grep -E '^ok|^PASS|FAIL' | head -25",
        ] {
            assert_eq!(of_command(command), TextOrigin::Unknown, "{command}");
        }
        for command in ["env | grep -i stripe", "make all; cat secrets.txt", "kubectl get pods -n auth"] {
            assert_eq!(of_command(command), TextOrigin::Topic, "{command}");
        }
    }

    #[test]
    fn files_of_secrets_are_known_by_their_names() {
        for path in ["/root/.my.cnf", "secrets.toml", "/run/secrets/db", "conf/passwords.txt", "token"] {
            assert_eq!(of_file(path), TextOrigin::Secrets, "{path}");
        }
        assert_eq!(of_file("/etc/app/users.conf"), TextOrigin::Users);
        assert_eq!(of_file("/home/ann/.kube/config"), TextOrigin::Topic);
        for path in ["src/password.rs", "docs/secrets.md", "README", "tokenizer.json", "users.py", ""] {
            assert_eq!(of_file(path), TextOrigin::Unknown, "{path}");
        }
    }
}
