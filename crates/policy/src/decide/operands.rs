//! What file rules, protected paths and special files say of the operands of commands, and of redirections.

use std::path::{Path, PathBuf};

use super::bash::is_stream;
use super::candidates::candidates;
use super::contents::path_of;
use super::expansion::with_braces;
use super::files::Access;
use super::later::messages;
use super::{Policy, stated};
use crate::decision::{Decision, Reason};
use crate::mode::Mode;
use crate::paths::{FileKind, PathError, ResolvedPath, is_of_process, is_protected, is_refused, resolve};
use crate::read_only::reading;
use crate::rules::{Matcher, RuleList};
use crate::shell::{Command, Redirection, RedirectionKind, Word, base_name, strip};

/// Programs that change the files that they are given.
const WRITING: [&str; 23] = [
    "rm", "rmdir", "unlink", "shred", "mv", "cp", "ln", "touch", "mkdir", "tee", "truncate", "chmod",
    "chown", "chgrp", "dd", "install", "rsync", "patch", "sed", "perl", "vim", "vi", "nano",
];

/// Programs that show the contents of the files that they are given.
const READING: [&str; 36] = [
    "cat", "tac", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk",
    "nl", "od", "xxd", "hexdump", "strings", "base64", "sort", "uniq", "cut", "diff", "cmp", "comm", "cp",
    "mv", "source", ".", "bat", "vim", "vi", "nano", "view", "jq",
];

/// Programs that use names without opening files.
const NAMING: [&str; 10] = ["echo", "printf", "test", "[", "ls", "cd", "mkdir", "true", "false", ":"];

/// Builtins that give names to texts.
const DECLARING: [&str; 6] = ["export", "declare", "typeset", "local", "readonly", "alias"];

/// Targets of redirections that are no files.
pub(super) const STREAMS: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"];

/// Devices that hold nothing and that nothing harms.
const HARMLESS_DEVICES: [&str; 5] = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What a command does with the files that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OperandUse {
    /// It is known to show them.
    reads: bool,
    /// It is known to change them.
    writes: bool,
    /// It may write to what it is given: nothing says that it does not.
    may_write: bool,
}

impl OperandUse {
    /// `None` for commands that open nothing.
    fn of(name: &str, command: &Command) -> Option<Self> {
        let is_short =
            |option: &str| option.starts_with('-') && !option.starts_with("--") && option.contains('i');
        let in_place = command.words[1..].iter().any(|word| {
            let option = word.beginning();
            option.starts_with("--in-place") || is_short(option)
        });
        // These change files only with an option.
        let only_reads = matches!(name, "sed" | "perl") && !in_place;
        let writes = WRITING.contains(&name) && !only_reads;
        if NAMING.contains(&name) && !writes {
            return None;
        }
        let reads = READING.contains(&name);
        let is_plain = (reads && !has_output(name, command))
            || DECLARING.contains(&name)
            || reading(command).is_some()
            || is_tracking(name, command);
        Some(Self { reads, writes, may_write: writes || !is_plain })
    }
}

/// Whether a command may write to what it is given.
pub(super) fn may_write(command: &Command) -> bool {
    use_of(command).is_some_and(|used| used.may_write)
}

/// Whether a command may open what it is given.
pub(super) fn may_open(command: &Command) -> bool {
    use_of(command).is_some()
}

fn use_of(command: &Command) -> Option<OperandUse> {
    let stripped = strip(command);
    let bare = stripped.last()?;
    OperandUse::of(&base_name(&bare.name()?), bare)
}

/// Whether this is the name of a special file that commands must not open.
pub(super) fn is_special_name(path: &str) -> bool {
    let is_harmless =
        STREAMS.contains(&path) || HARMLESS_DEVICES.contains(&path) || path.starts_with("/dev/fd/");
    let is_process =
        path.trim_end_matches('/') == "/proc" || is_of_process(&Path::new(path).join("cwd/file"));
    !is_harmless && (path.starts_with("/dev/") || is_process)
}

/// Programs that read, and write what an option or a second operand names: all but the forms that are known to only read.
fn has_output(name: &str, command: &Command) -> bool {
    let writes = |word: &Word| {
        ["-o", "-O", "--log-file", "--LOG-FILE"].iter().any(|option| word.beginning().starts_with(option))
    };
    match name {
        "sort" | "uniq" | "awk" | "gawk" | "xxd" | "base64" => reading(command).is_none(),
        "less" | "more" | "bat" | "strings" => command.words[1..].iter().any(writes),
        _ => false,
    }
}

/// Commands of git that take names of files and leave the files as they are.
fn is_tracking(name: &str, command: &Command) -> bool {
    let first = command.words.get(1).map(Word::beginning).unwrap_or_default();
    let writes = |word: &Word| word.beginning().starts_with("--output");
    name == "git"
        && !command.words.iter().any(writes)
        && matches!(first, "add" | "commit" | "diff" | "log" | "show" | "blame" | "check-ignore" | "ls-files")
}

/// A file in a folder.
fn inside(folder: &ResolvedPath) -> ResolvedPath {
    let join = |path: &PathBuf| path.join("file");
    let passed = folder.passed.iter().map(join).collect();
    ResolvedPath { spelled: join(&folder.spelled), real: join(&folder.real), passed, kind: FileKind::File }
}

impl Policy<'_> {
    /// What file rules and protected paths say of a command's operands; `None`: nothing.
    pub(super) fn operands(&self, command: &Command, folders: Option<&[PathBuf]>) -> Option<Decision> {
        let stripped = strip(command);
        let command = &with_braces(stripped.last()?);
        let name = base_name(&command.name()?);
        let used = OperandUse::of(&name, command)?;
        let current = [self.workspace.current().to_path_buf()];
        let is_anywhere = folders.is_none();
        let folders = folders.unwrap_or(&current);
        let mut found: Vec<Decision> = Vec::new();
        // A relative path may be any file then.
        let is_relative = |word: &Word| !word.beginning().starts_with(['/', '-']);
        let opens = used.reads || used.writes;
        if is_anywhere && opens && self.has_file_rules() && command.words[1..].iter().any(is_relative) {
            found.push(Decision::ask(Reason::UnknownPath(command.spelling())));
        }
        found.extend(self.below(&name, command, folders));
        found.extend(self.taking(&name, command, folders));
        found.extend(self.configures(&name, command));
        found.extend(folders.iter().find_map(|folder| self.works_in(folder, used)));
        let messages = messages(&name, &command.words);
        for (_, word) in
            command.words.iter().enumerate().skip(1).filter(|(place, _)| !messages.contains(place))
        {
            let text = path_of(word, self.workspace);
            let is_long = text.is_some();
            let Some(paths) = text.and_then(|text| candidates(&text, self.workspace)) else {
                // What `xargs` appends may be any file.
                let is_open = used.reads || used.writes || is_long || *word == Word::unknown();
                if self.has_file_rules() && is_open {
                    found.push(Decision::ask(Reason::UnknownPath(word.spelling.clone())));
                }
                found.extend(self.partly_known(word, used));
                found.extend(self.partly_special(word, folders));
                continue;
            };
            for folder in folders {
                let whole = paths.sure.iter().filter_map(|path| self.operand_in(folder, path, used));
                // Of a part, it is not known that it is a path.
                let parts = paths.parts.iter().filter_map(|path| self.operand_in(folder, path, used));
                let asked = parts.map(|decision| Decision::ask(decision.because().clone()));
                found.extend(whole.chain(asked));
            }
        }
        found.into_iter().reduce(Decision::and)
    }

    fn operand_in(&self, folder: &Path, path: &str, used: OperandUse) -> Option<Decision> {
        if STREAMS.contains(&path) || HARMLESS_DEVICES.contains(&path) || path.starts_with("/dev/fd/") {
            return None;
        }
        let resolved = match resolve(self.files, folder, Path::new(path)) {
            Ok(resolved) => resolved,
            // An empty word is no path, and nothing to worry about.
            Err(PathError::NoPath(_)) => return None,
            Err(error) => return Some(Decision::ask(Reason::Path(error))),
        };
        if is_refused(&resolved) {
            let because = Reason::Refused(resolved.real);
            let opens = used.reads || used.writes;
            return Some(if opens { Decision::deny(because) } else { Decision::ask(because) });
        }
        let about = resolved.spelled.display().to_string();
        // A folder stands for what is in it: `private` for `private/**`.
        let is_folder = resolved.kind == FileKind::Folder || path.ends_with('/');
        let inner = is_folder.then(|| inside(&resolved));
        let speaks = |list: RuleList, access: Access| {
            let tool = if access == Access::Read { "Read" } else { "Edit" };
            // Rules about all of a tool do not speak of commands.
            let mut rules = self.rules.of(list).filter(|rule| matches!(rule.matcher, Matcher::Path { .. }));
            let is_meant = |path: &ResolvedPath, rule| self.forbids(rule, access, tool, path);
            rules.find(|rule| {
                is_meant(&resolved, rule) || inner.as_ref().is_some_and(|inner| is_meant(inner, rule))
            })
        };
        for list in [RuleList::Deny, RuleList::Ask] {
            let written = speaks(list, Access::Write).filter(|_| used.writes);
            let read = speaks(list, Access::Read).filter(|_| used.reads);
            if let Some(rule) = written.or(read) {
                return Some(stated(rule, &about));
            }
        }
        let touched = |list| {
            speaks(list, Access::Read).or_else(|| speaks(list, Access::Write).filter(|_| used.may_write))
        };
        if let Some(rule) = touched(RuleList::Deny).or_else(|| touched(RuleList::Ask)) {
            return Some(Decision::ask(Reason::may_match(rule, &about)));
        }
        // To copy from there is no change; but it is not known here which operand is which.
        let protected = self.protected(&resolved, used)?;
        Some(Decision::ask(Reason::Protected(protected.to_path_buf())))
    }

    /// The protected path among those that an operand leads to, if the command may change it. Where the whole workspace is in such
    /// a folder, only programs that are known to write are asked about.
    fn protected<'r>(&self, resolved: &'r ResolvedPath, used: OperandUse) -> Option<&'r Path> {
        let roots = self.workspace.roots();
        let below = |path: &'r Path| {
            let root = roots.iter().find_map(|root| path.strip_prefix(root).ok());
            is_protected(root.unwrap_or(path)) && !self.is_address(path)
        };
        match used {
            OperandUse { writes: true, .. } => resolved.all().find(|path| is_protected(path)),
            OperandUse { may_write: true, .. } => resolved.all().find(|path| below(path)),
            _ => None,
        }
    }

    /// `https://example.com/.git`, where no folder has such a name.
    fn is_address(&self, path: &Path) -> bool {
        let scheme = path.ancestors().find(|above| above.to_string_lossy().ends_with(':'));
        scheme.is_some_and(|scheme| {
            self.files.link(scheme).is_none() && self.files.kind(scheme) == FileKind::Missing
        })
    }

    /// A command that may write, in a protected folder: what it is not given, it may write there.
    fn works_in(&self, folder: &Path, used: OperandUse) -> Option<Decision> {
        let resolved = resolve(self.files, folder, Path::new(".")).ok()?;
        let used = OperandUse { writes: false, ..used };
        let protected = self.protected(&resolved, used).filter(|_| folder != self.workspace.working())?;
        Some(Decision::ask(Reason::Protected(protected.to_path_buf())))
    }

    /// A word that is known in part: `-o "$x"` says nothing, `.git/$x` says enough.
    fn partly_known(&self, word: &Word, used: OperandUse) -> Option<Decision> {
        let mut parts = word.spelling.split(['=', ':', ' ', '"', '\'', '@', ',']);
        let is_inside = |part: &&str| {
            let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
            is_protected(Path::new(part)) || is_protected(Path::new(folder))
        };
        // `.g*` and `.{git,x}` match `.git`.
        let is_pattern = |part: &&str| {
            part.split('/').any(|name| name.starts_with('.') && name.contains(['*', '?', '[', '{']))
        };
        let found = parts.find(|part| is_inside(part) || is_pattern(part)).filter(|_| used.may_write);
        found.map(|part| Decision::ask(Reason::Protected(PathBuf::from(part))))
    }

    /// A word that is known up to a folder where special files are: `/proc/se*/environ`, `/p*/self/environ`.
    fn partly_special(&self, word: &Word, folders: &[PathBuf]) -> Option<Decision> {
        let folder = match word.beginning().rfind('/') {
            Some(0) => "/",
            Some(at) => &word.beginning()[..at],
            None => ".",
        };
        let is_special = |from: &PathBuf| {
            let real = resolve(self.files, from, Path::new(folder)).ok().map(|path| path.real);
            real.is_none_or(|real| {
                real == Path::new("/") || real.starts_with("/proc") || real.starts_with("/dev")
            })
        };
        folders.iter().any(is_special).then(|| Decision::ask(Reason::UnknownPath(word.spelling.clone())))
    }

    /// Texts that become operands later: values of variables and words of loops that name a file of a rule.
    pub(super) fn named_later<'w>(&self, words: impl Iterator<Item = &'w Word>) -> Option<Decision> {
        if !self.has_file_rules() {
            return None;
        }
        let used = OperandUse { reads: false, writes: false, may_write: false };
        let folder = self.workspace.current();
        let texts = words.filter_map(|word| path_of(word, self.workspace));
        let mut paths = texts
            .filter_map(|text| candidates(&text, self.workspace))
            .flat_map(|found| [found.sure, found.parts].concat());
        paths.find_map(|path| match self.operand_in(folder, &path, used)? {
            Decision::Ask { because: because @ Reason::MayMatch { .. }, .. } => Some(Decision::ask(because)),
            _ => None,
        })
    }

    /// Whether any rule speaks of single files.
    pub(super) fn has_file_rules(&self) -> bool {
        let lists = [RuleList::Deny, RuleList::Ask];
        lists
            .into_iter()
            .any(|list| self.rules.of(list).any(|rule| matches!(rule.matcher, Matcher::Path { .. })))
    }

    /// A redirection is a read or a write of its target.
    pub(super) fn redirection(&self, redirection: &Redirection, folders: Option<&[PathBuf]>) -> Decision {
        let access = match redirection.direction {
            RedirectionKind::Duplicate | RedirectionKind::Text => return Decision::allow(Reason::ReadsOnly),
            RedirectionKind::Read => Access::Read,
            RedirectionKind::Write | RedirectionKind::Both => Access::Write,
        };
        let target = &redirection.target;
        // Its commands are judged for themselves.
        if access == Access::Read && is_stream(target) {
            return Decision::allow(Reason::ReadsOnly);
        }
        let unknown = || {
            let trusted = self.mode == Mode::Bypass && !self.has_file_rules();
            let because = Reason::UnknownPath(target.spelling.clone());
            let writes = access == Access::Write;
            let used = OperandUse { reads: !writes, writes, may_write: writes };
            let protected = self.partly_known(target, used).filter(|_| writes);
            match protected {
                Some(decision) => decision,
                None if trusted => Decision::allow(Reason::Mode(Mode::Bypass)),
                None => Decision::ask(because),
            }
        };
        // Several words are an error here, so a path with variables is one, too.
        let Some(path) = path_of(target, self.workspace) else {
            return unknown();
        };
        if STREAMS.contains(&path.as_str()) {
            return Decision::allow(Reason::ReadsOnly);
        }
        let Some(folders) = folders else {
            return if Path::new(&path).is_absolute() {
                self.one(access, Path::new("/"), &path)
            } else {
                unknown()
            };
        };
        let each = folders.iter().map(|folder| self.one(access, folder, &path));
        each.reduce(Decision::and).unwrap_or_else(unknown)
    }

    /// A whole allow rule for Bash also opens what its redirections read, and write within the workspace.
    fn one(&self, access: Access, folder: &Path, path: &str) -> Decision {
        let tool = if access == Access::Read { "Read" } else { "Edit" };
        let decision = self.file(access, tool, folder, path);
        let opens = match &decision {
            Decision::Ask { because: Reason::NotCovered(_), .. } => true,
            Decision::Ask { because: Reason::Outside(_), .. } => access == Access::Read,
            _ => false,
        };
        match self.whole(RuleList::Allow, "Bash").filter(|_| opens) {
            Some(rule) => stated(rule, path),
            None => decision,
        }
    }
}
