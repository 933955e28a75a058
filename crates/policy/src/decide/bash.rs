//! The decision about a command: any part that is denied denies it, every part must be allowed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::confined::SandboxAnswer;
use super::contents::{ScriptContents, folders, path_of};
use super::expansion::{Expansion, LoopValues, with_braces};
use super::later::later_deletions;
use super::operands::STREAMS;
use super::variables::ScriptVariables;
use super::{Policy, stated, suggest};
use crate::decision::{Decision, Reason};
use crate::mode::Mode;
use crate::paths::{FileKind, critical, is_protected, resolve};
use crate::read_only::{ReadScope, reading};
use crate::rules::{CommandSpellings, Match, Matcher, Rule, RuleList};
use crate::shell::{
    Command, HARMLESS, OutputUse, ShellSyntaxError, Word, WordCount, WordPart, is_builtin, parse, strip,
};

/// Commands that change files and nothing else, with the letters of their harmless options.
const EDITING: [(&str, &str); 5] =
    [("mkdir", "pv"), ("touch", "acm"), ("cp", "pvnfi"), ("mv", "vnfi"), ("rmdir", "v")];

impl Policy<'_> {
    pub(super) fn bash(&self, text: &str) -> Decision {
        let script = match parse(text) {
            Ok(script) => script,
            Err(why) => return self.unparsable(text, why),
        };
        let inside = ScriptContents::new(&script);
        let sandbox = SandboxAnswer::new(self);
        let folders = folders(&inside, self.files, self.workspace);
        let mut decision = Decision::allow(Reason::ReadsOnly);
        let own = ScriptVariables::new(&script);
        let values = LoopValues::new(&script);
        let mut listed = BTreeMap::new();
        for (place, command) in inside.own.iter().enumerate() {
            let known = folders.as_deref().and_then(|known| self.expanded(command, place, &values, known));
            let known =
                known.unwrap_or_else(|| Expansion { commands: vec![with_braces(command)], is_listed: false });
            let objection = known.commands.iter().find_map(|command| own.objection(command));
            // What `read` sets is known in its loop only.
            let is_alone = command.name().is_some_and(|name| name == "read")
                && !script.read_loops.iter().any(|each| each.read == place);
            let reads = || if is_alone { None } else { self.reads(&known, folders.as_deref()) };
            let judged = self.own(command, objection, folders.as_deref(), &reads);
            decision = first(decision, sandbox.contain(judged));
            if known.is_listed {
                listed.insert(place, known.commands);
            }
        }
        // A function in place of a builtin answers for it, also to those who ask from outside.
        let replaced = script.functions.iter().find(|name| is_builtin(name));
        if let Some(name) = replaced.filter(|_| !self.opens_all()) {
            decision = decision.and(sandbox.contain(Decision::ask(Reason::NotCovered(format!("{name}()")))));
        }
        if let Some(more) = self.loose(&script, &own, folders.as_deref()).filter(|_| !self.opens_all()) {
            decision = decision.and(sandbox.contain(more));
        }
        // A loop over `PATH` changes what the next command is.
        let changed = inside.assigned.iter().find(|name| !is_harmless(name, &Command::default()));
        if let Some(name) = changed.filter(|_| !self.opens_all()) {
            decision = decision.and(sandbox.contain(Decision::ask(Reason::NotCovered(format!("{name}=…")))));
        }
        let values = inside.all().flat_map(|command| &command.assignments).map(|assignment| &assignment.word);
        // Paths are resolved by what these are now.
        let moved = |name: &&String| ["HOME", "PWD", "OLDPWD"].contains(&name.as_str());
        let assigned =
            inside.all().flat_map(|command| &command.assignments).map(|assignment| &assignment.name);
        if let Some(name) = assigned.chain(&inside.assigned).find(moved).filter(|_| self.has_file_rules()) {
            decision = decision.and(Decision::ask(Reason::NotCovered(format!("{name}=…"))));
        }
        if let Some(more) = self.named_later(values.chain(&script.listed)) {
            decision = decision.and(more);
        }
        if let Some(more) = self.mentioned(&inside, &script) {
            decision = decision.and(more);
        }
        for redirection in &inside.redirections {
            decision = decision.and(sandbox.contain(self.redirection(redirection, folders.as_deref())));
        }
        for (place, command) in inside.all().enumerate() {
            let operands = match listed.get(&place) {
                Some(commands) => self.listed_operands(commands, folders.as_deref()),
                None => self.operands(command, folders.as_deref()),
            };
            let more = self.forbidden(command).into_iter().chain(operands);
            let more = more.chain(self.later(command));
            decision = more.fold(decision, |decision, more| more.and(decision));
            let current = [self.workspace.current().to_path_buf()];
            let known = folders.as_deref().unwrap_or(&current);
            let later = later_deletions(command);
            let mut deletions = std::iter::once(command).chain(&later);
            let destroys = |command: &Command| critical(self.files, self.workspace, known, command);
            if let Some(what) = deletions.find_map(destroys) {
                decision = Decision::ask(Reason::Critical(what)).and(decision);
            }
        }
        for command in &inside.perhaps {
            if let Some(Decision::Deny { because } | Decision::Ask { because, .. }) = self.forbidden(command)
            {
                decision = Decision::ask(because).and(decision);
            }
        }
        let hidden = self.not_shown(&inside).map(|asked| sandbox.contain(asked));
        let decision = hidden.into_iter().fold(decision, |decision, more| more.and(decision));
        sandbox.check(decision)
    }

    /// A text that is not understood: what a rule says of its letters, else a person.
    fn unparsable(&self, text: &str, why: ShellSyntaxError) -> Decision {
        let named = |rule: &&Rule| match &rule.matcher {
            Matcher::Command(pattern) => pattern.matches_text(text),
            _ => false,
        };
        match self.rules.of(RuleList::Deny).find(named) {
            Some(rule) => stated(rule, text),
            None => Decision::ask(Reason::ShellSyntaxError(why)),
        }
    }

    /// What deny and ask rules say of a command, in each of its forms.
    pub(super) fn forbidden(&self, command: &Command) -> Option<Decision> {
        let forms: Vec<CommandSpellings> = strip(command).forms.iter().map(CommandSpellings::new).collect();
        let mut perhaps = None;
        for list in [RuleList::Deny, RuleList::Ask] {
            for rule in self.rules.of(list) {
                let Matcher::Command(pattern) = &rule.matcher else { continue };
                let found = forms.iter().map(|form| pattern.concerns(form)).max();
                match found {
                    Some(Match::Surely) => return Some(stated(rule, &command.shown())),
                    Some(Match::Perhaps) if perhaps.is_none() && !command.words.is_empty() => {
                        perhaps = Some(Decision::ask(Reason::may_match(rule, &command.shown())));
                    }
                    _ => {}
                }
            }
        }
        perhaps
    }

    /// Parts that do not show what they do: any rule may speak of them, and no rule about commands allows them.
    fn not_shown(&self, inside: &ScriptContents) -> Option<Decision> {
        let hidden = inside.hidden.first();
        let hazard = inside.hazards.first();
        let about = hidden.cloned().or_else(|| hazard.map(ToString::to_string))?;
        let mut rules = self.rules.of(RuleList::Deny).chain(self.rules.of(RuleList::Ask));
        if let Some(rule) = rules.find(|rule| matches!(rule.matcher, Matcher::Command(_))) {
            return Some(Decision::ask(Reason::may_match(rule, &about)));
        }
        let because = hazard.map(|hazard| Reason::Hazard(*hazard));
        because.filter(|_| !self.opens_all()).map(Decision::ask)
    }

    /// Whether commands are allowed whatever they are.
    fn opens_all(&self) -> bool {
        self.mode == Mode::Bypass || self.whole(RuleList::Allow, "Bash").is_some()
    }

    /// A command of the text itself: what allows it, if anything does.
    ///
    /// A name that the text gives to a function is judged like any other: whether the function or the program runs
    /// depends on order, subshells and wrappers.
    fn own(
        &self,
        command: &Command,
        objection: Option<Reason>,
        folders: Option<&[PathBuf]>,
        reads: &dyn Fn() -> Option<Result<(), Decision>>,
    ) -> Decision {
        let stripped = strip(command);
        let Some(bare) = stripped.last() else { return Decision::ask(Reason::NotCovered(command.shown())) };
        // `IFS= read` cuts one line.
        let is_cut = |name: &str| name == "IFS" && bare.reads().is_some();
        let harmless = command
            .assignments
            .iter()
            .all(|assignment| is_harmless(&assignment.name, bare) || is_cut(&assignment.name));
        let mut refused = None;
        if harmless {
            let reads = if bare.words.is_empty() { Some(Ok(())) } else { reads() };
            match (reads, objection) {
                (Some(Ok(())), None) => return Decision::allow(Reason::ReadsOnly),
                (Some(Ok(())), Some(because)) => refused = Some(Decision::ask(because)),
                (Some(Err(decision)), _) => refused = Some(decision),
                (None, _) => {}
            }
        }
        let allowed = self.covered(command, bare, harmless.then_some(folders).flatten());
        match (allowed, self.mode) {
            (Some(_), Mode::Plan) | (None, Mode::Plan) => Decision::ask(Reason::Mode(Mode::Plan)),
            (Some(allowed), _) => allowed,
            (None, _) => refused.unwrap_or_else(|| Decision::Ask {
                because: Reason::NotCovered(command.shown()),
                suggestions: suggest::rules(command),
            }),
        }
    }

    /// The rule or the mode that allows a command.
    fn covered(&self, command: &Command, bare: &Command, folders: Option<&[PathBuf]>) -> Option<Decision> {
        if let Some(rule) = self.whole(RuleList::Allow, "Bash") {
            return Some(stated(rule, &command.shown()));
        }
        let covers = |rule: &&Rule| match &rule.matcher {
            Matcher::Command(pattern) => {
                let assigned =
                    command.assignments.iter().all(|assignment| is_harmless(&assignment.name, bare));
                let as_written = pattern.is_exact() && pattern.matches_text(&command.shown());
                as_written || (assigned && bare.name().is_some() && pattern.covers(bare))
            }
            _ => false,
        };
        if let Some(rule) = self.rules.of(RuleList::Allow).find(covers) {
            return Some(stated(rule, &command.shown()));
        }
        match self.mode {
            Mode::Bypass => Some(Decision::allow(Reason::Mode(Mode::Bypass))),
            Mode::AcceptEdits if self.edits_inside(bare, folders) => {
                Some(Decision::allow(Reason::Mode(Mode::AcceptEdits)))
            }
            _ => None,
        }
    }

    /// Whether everything that the shell runs for a command only reads.
    fn reads(&self, known: &Expansion, folders: Option<&[PathBuf]>) -> Option<Result<(), Decision>> {
        let each = |command: &Command| {
            let stripped = strip(command);
            stripped.last().and_then(|bare| self.reads_only(bare, folders))
        };
        let refused = known.commands.iter().map(each).find(|reads| !matches!(reads, Some(Ok(()))));
        match refused.unwrap_or(Some(Ok(()))) {
            // The name may not be among those that are printed.
            Some(Err(decision)) if known.is_listed => Some(Err(Decision::ask(decision.because().clone()))),
            reads => reads,
        }
    }

    /// What file rules say of the operands of commands with names from a list, which may not be among those that are printed.
    fn listed_operands(&self, commands: &[Command], folders: Option<&[PathBuf]>) -> Option<Decision> {
        let found = commands.iter().find_map(|command| self.operands(command, folders))?;
        Some(Decision::ask(found.because().clone()))
    }

    /// Whether a command only reads: `Some(Err)` where it does, and not only in the workspace.
    fn reads_only(&self, command: &Command, folders: Option<&[PathBuf]>) -> Option<Result<(), Decision>> {
        let reading = reading(command)?;
        let unknown = |what: &str| Some(Err(Decision::ask(Reason::UnknownPath(what.to_owned()))));
        if reading.reach == ReadScope::Below && self.has_file_rules() {
            // Somewhere below there may be what must not be read.
            return unknown(&command.spelling());
        }
        let Some(folders) = folders else { return unknown(&command.spelling()) };
        let Some(paths) = self.given_paths(&reading.paths, folders) else {
            let unclear = |word: &&Word| self.given_paths(std::slice::from_ref(*word), folders).is_none();
            return unknown(
                &reading.paths.iter().find(unclear).map_or_else(String::new, |word| word.spelling.clone()),
            );
        };
        let is_folder = |path: &String| {
            let real = |folder: &PathBuf| resolve(self.files, folder, path.as_ref());
            folders.iter().any(|folder| real(folder).is_ok_and(|path| path.kind == FileKind::Folder))
        };
        // Folders are compared file by file, links followed.
        if command.name().is_some_and(|name| name == "diff") && paths.iter().any(is_folder) {
            return unknown(&command.spelling());
        }
        // Another folder may be another repository, whose configuration git obeys.
        let is_trusted = |folder: &PathBuf| self.workspace.trusts_git_in(self.files, folder);
        if reading.is_git && !folders.iter().all(is_trusted) {
            return Some(Err(Decision::ask(Reason::Repository(command.spelling()))));
        }
        for path in paths.iter().filter(|path| *path != "-" && !STREAMS.contains(&path.as_str())) {
            if let Some(decision) = folders.iter().find_map(|folder| self.may_read(folder, path).err()) {
                return Some(Err(decision));
            }
        }
        for folder in folders {
            if let Err(decision) = self.may_read(folder, ".") {
                return Some(Err(decision));
            }
            let leaves = |word: &&Word| !self.glob_stays(folder, word, reading.last);
            if let Some(word) = reading.globs.iter().find(leaves) {
                return unknown(&word.spelling);
            }
        }
        Some(Ok(()))
    }

    /// The paths that a program gets for these words, in each folder; `None` where they are not known. What `<(…)` stands for is a
    /// stream, whose commands are judged for themselves.
    fn given_paths(&self, words: &[Word], folders: &[PathBuf]) -> Option<Vec<String>> {
        let mut found = Vec::new();
        for word in words.iter().filter(|word| !is_stream(word)) {
            if word.parts.iter().any(|part| matches!(part, WordPart::Glob(_)))
                && word.output == OutputUse::None
            {
                for folder in folders {
                    found.extend(self.glob_files(folder, word)?);
                }
                continue;
            }
            found.push(path_of(word, self.workspace).filter(|path| !path.is_empty() && word.is_one())?);
        }
        Some(found)
    }

    /// Whether a command changes files of the workspace, and nothing else.
    fn edits_inside(&self, command: &Command, folders: Option<&[PathBuf]>) -> bool {
        let (Some(name), Some(folders)) = (command.name(), folders) else { return false };
        let Some((_, options)) = EDITING.iter().find(|(editing, _)| *editing == name) else { return false };
        let mut operands = Vec::new();
        for word in &command.words[1..] {
            let Some(path) = path_of(word, self.workspace).filter(|path| !path.is_empty() && word.is_one())
            else {
                return false;
            };
            match path.strip_prefix('-') {
                Some("") => return false,
                Some(letters) if letters.chars().all(|letter| options.contains(letter)) => {}
                Some(_) => return false,
                None => operands.push(path),
            }
        }
        folders.iter().all(|folder| {
            let stay = operands.iter().all(|path| self.stays_inside(folder, path.as_ref()));
            stay && (!matches!(name.as_str(), "cp" | "mv") || self.brings_inside(&name, folder, &operands))
        })
    }

    fn stays_inside(&self, folder: &Path, path: &Path) -> bool {
        let resolved = resolve(self.files, folder, path);
        resolved.is_ok_and(|path| self.workspace.holds(&path) && !path.all().any(is_protected))
    }

    /// Whether `cp` and `mv` leave everything inside: what they bring to a folder bears its own name there, and a link of that
    /// name may stand in the way. What is moved must be a plain file: a link can lead elsewhere from its new place, and a
    /// folder may hold some.
    fn brings_inside(&self, name: &str, folder: &Path, operands: &[String]) -> bool {
        let Some((target, sources)) = operands.split_last() else { return false };
        let Ok(target) = resolve(self.files, folder, target.as_ref()) else { return false };
        sources.iter().map(Path::new).all(|source| {
            let Some(last) = source.file_name() else { return false };
            let above =
                source.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let is_plain = || {
                resolve(self.files, folder, above).is_ok_and(|above| {
                    let place = above.real.join(last);
                    self.files.link(&place).is_none() && self.files.kind(&place) == FileKind::File
                })
            };
            self.stays_inside(&target.real, last.as_ref()) && (name == "cp" || is_plain())
        })
    }
}

/// Whether a word is `<(…)` and nothing else.
pub(super) fn is_stream(word: &Word) -> bool {
    word.parts == [WordPart::Unknown(WordCount::One)] && word.spelling.starts_with("<(")
}

/// Whether a variable of this name may be set: it changes looks only, or it is a variable of the text and no program's.
fn is_harmless(name: &str, command: &Command) -> bool {
    let own = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    HARMLESS.contains(&name) || (command.words.is_empty() && own && !name.contains("proxy"))
}

/// The stricter of two; of two that allow, the one that says more than "it only reads".
fn first(left: Decision, right: Decision) -> Decision {
    match (&left, &right) {
        (Decision::Allow { because: Reason::ReadsOnly }, Decision::Allow { .. }) => right,
        _ => left.and(right),
    }
}
