//! Programs that pack, send, serve or delete whole folders, as data.

use crate::shell::{Word, base_name};

/// The folders that a command takes in.
pub(super) enum TakenFolders<'w> {
    /// None that it is known for.
    None,
    /// The one in which it runs.
    Current,
    /// Those among these words.
    Given(Vec<&'w Word>),
}

/// Programs that take in what is below the folders that they are given.
const OF_FOLDERS: [&str; 44] = [
    "borg",
    "restic",
    "duplicity",
    "duplicati",
    "rdiff-backup",
    "tarsnap",
    "kopia",
    "dar",
    "zpaq",
    "star",
    "genisoimage",
    "mkisofs",
    "xorriso",
    "makeself",
    "shar",
    "rclone",
    "unison",
    "ditto",
    "gsutil",
    "s3cmd",
    "s4cmd",
    "s5cmd",
    "mc",
    "b2",
    "lftp",
    "ncftpput",
    "croc",
    "wormhole",
    "ipfs",
    "adb",
    "aws",
    "gcloud",
    "az",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "ugrep",
    "meld",
    "kdiff3",
    "colordiff",
    "code2prompt",
    "files-to-prompt",
    "gitingest",
];

/// Programs that take in the current folder, by the first words behind their name; an empty list is any, an empty word none.
const OF_CURRENT: [(&str, &[&str]); 60] = [
    ("npm", &["publish", "pack"]),
    ("yarn", &["publish", "pack", "npm publish"]),
    ("pnpm", &["publish", "pack", "deploy"]),
    ("bun", &["publish"]),
    ("vsce", &["publish", "package"]),
    ("cargo", &["publish", "package"]),
    ("poetry", &["build", "publish"]),
    ("uv", &["build", "publish"]),
    ("hatch", &["build", "publish"]),
    ("flit", &["build", "publish"]),
    ("pdm", &["build", "publish"]),
    ("build", &[]),
    ("gem", &["build"]),
    ("helm", &["package"]),
    ("vercel", &["", "deploy"]),
    ("now", &["", "deploy"]),
    ("netlify", &["deploy"]),
    ("surge", &[]),
    ("fly", &["deploy", "launch"]),
    ("flyctl", &["deploy", "launch"]),
    ("railway", &["up"]),
    ("eb", &["deploy", "create"]),
    ("cf", &["push"]),
    ("sam", &["build", "package", "deploy"]),
    ("serverless", &["deploy", "package"]),
    ("sls", &["deploy", "package"]),
    ("firebase", &["deploy"]),
    ("wrangler", &["deploy", "publish", "pages"]),
    ("gcloud", &["app deploy", "builds submit", "run deploy", "functions deploy"]),
    ("az", &["webapp up", "acr build", "containerapp up"]),
    ("modal", &["deploy", "run"]),
    ("skaffold", &["build", "run", "dev"]),
    ("nixpacks", &["build"]),
    ("pack", &["build"]),
    ("buildah", &["bud", "build"]),
    ("docker-compose", &["build"]),
    ("docker", &["compose build", "image build", "builder build", "container cp"]),
    ("podman", &["compose build", "image build", "container cp"]),
    ("nerdctl", &["build", "compose build", "cp", "image build"]),
    ("http.server", &[]),
    ("simplehttpserver", &[]),
    ("http-server", &[]),
    ("serve", &[]),
    ("live-server", &[]),
    ("browser-sync", &["start"]),
    ("miniserve", &[]),
    ("darkhttpd", &[]),
    ("webfsd", &[]),
    ("caddy", &["file-server"]),
    ("busybox", &["httpd"]),
    ("simple-http-server", &[]),
    ("repomix", &[]),
    ("code2prompt", &[]),
    ("gitingest", &[]),
    ("files-to-prompt", &[]),
    ("php", &["-S"]),
    ("ruby", &["-run"]),
    ("twistd", &["web"]),
    ("earthly", &[]),
    ("ngrok", &[]),
];

/// Programs that run another one, which is any later word.
const RUNNERS: [&str; 8] = ["npx", "bunx", "uvx", "pipx", "python", "python3", "python2", "deno"];

/// Words that ask for a text and do nothing.
const ASKING: [&str; 6] = ["--version", "--help", "-h", "-V", "help", "version"];

/// The folders that a program takes in.
pub(super) fn taken_folders<'w>(name: &str, words: &'w [Word]) -> TakenFolders<'w> {
    let texts: Vec<String> = words.iter().map(|word| word.literal().unwrap_or_default()).collect();
    if texts.iter().any(|text| ASKING.contains(&text.as_str())) {
        return TakenFolders::None;
    }
    if programs_run(name, &texts).iter().any(|(name, rest)| takes_current(name, rest)) {
        return TakenFolders::Current;
    }
    let given = match name {
        "docker" | "podman" | "nerdctl" => mounted(words),
        "rm" | "shred" | "chmod" | "chown" | "chgrp" | "setfacl"
            if texts.iter().any(|text| is_recursive(text)) =>
        {
            words.iter().collect()
        }
        "find" if texts.iter().any(|text| matches!(text.as_str(), "-delete")) => {
            words.iter().take_while(|word| !word.beginning().starts_with(['-', '(', '!'])).collect()
        }
        name if OF_FOLDERS.contains(&name) => words.iter().collect(),
        _ => return TakenFolders::None,
    };
    TakenFolders::Given(given)
}

/// A program with its words, and those that it may run for others: `npx serve` is `serve`.
pub(super) fn programs_run<'t>(name: &str, texts: &'t [String]) -> Vec<(String, &'t [String])> {
    let is_run = RUNNERS.contains(&name)
        || (matches!(name, "npm" | "pnpm" | "yarn" | "bun")
            && matches!(texts.first().map(String::as_str), Some("dlx" | "exec" | "x")));
    let later = texts.iter().enumerate().map(|(place, text)| (base_name(text), &texts[place + 1..]));
    std::iter::once((name.to_owned(), texts)).chain(later.filter(|_| is_run)).collect()
}

fn takes_current(name: &str, rest: &[String]) -> bool {
    let operands: Vec<&str> = rest
        .iter()
        .map(String::as_str)
        .filter(|text| !text.starts_with('-') || matches!(*text, "-S" | "-run"))
        .collect();
    let ups = operands.contains(&"up") && rest.iter().any(|text| text == "--build");
    let begins = |command: &&str| match *command {
        "" => operands.is_empty(),
        command => command.split(' ').eq(operands.iter().copied().take(command.split(' ').count())),
    };
    let known = OF_CURRENT.iter().find(|(program, _)| *program == name);
    (ups && matches!(name, "docker" | "podman" | "nerdctl" | "docker-compose"))
        || known.is_some_and(|(_, commands)| commands.is_empty() || commands.iter().any(begins))
}

/// The words that name folders for a container.
fn mounted(words: &[Word]) -> Vec<&Word> {
    let is_mount = |text: &str| matches!(text, "-v" | "--volume" | "--mount");
    let is_joined =
        |text: &str| text.starts_with("-v") || text.starts_with("--volume=") || text.starts_with("--mount=");
    let behind = |place: usize| place > 0 && is_mount(words[place - 1].beginning());
    let places = words.iter().enumerate();
    places
        .filter(|(place, word)| behind(*place) || is_joined(word.beginning()))
        .map(|(_, word)| word)
        .collect()
}

fn is_recursive(text: &str) -> bool {
    text == "--recursive" || (text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R']))
}

/// Whether a program takes in files by a list that the command does not show.
pub(super) fn takes_list(name: &str, words: &[Word]) -> bool {
    let has = |letters: &[char], names: &[&str]| {
        words.iter().map(Word::beginning).any(|text| match text.starts_with("--") {
            true => names.iter().any(|name| text.split('=').next() == Some(*name)),
            false => text.starts_with('-') && text.contains(letters),
        })
    };
    // `tar cTf list x`
    let is_cluster = || {
        words
            .first()
            .is_some_and(|word| word.beginning().contains('T') && !word.beginning().contains(['/', '.']))
    };
    match name {
        "cpio" => has(&['o', 'p'], &["--create", "--pass-through"]),
        "zip" => has(&['@'], &["--names-stdin"]),
        "tar" | "bsdtar" | "gtar" => has(&['T'], &["--files-from"]) || is_cluster(),
        "rsync" => has(&[], &["--files-from"]),
        "pax" => has(&['w'], &[]),
        _ => false,
    }
}

/// The folder that `-C` names and the words from git's own command on; `None` if it has no command.
pub(super) fn git_command(words: &[Word]) -> Option<(Option<Word>, &[Word])> {
    let mut folder = None;
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        match first.beginning() {
            "-C" | "--work-tree" => {
                folder = behind.first().cloned();
                rest = behind.get(1..)?;
            }
            "-c" | "--git-dir" | "--namespace" | "--exec-path" => rest = behind.get(1..)?,
            text if text.starts_with('-') => rest = behind,
            _ => return Some((folder, rest)),
        }
    }
    None
}
