//! Deny rules in every spelling: a denied program behind any chain of programs that run programs, a denied file joined to any
//! option. None of them is allowed, whatever else allows it.

use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, Mode, Policy};
use annals_testkit::depth::cases;
use proptest::prelude::*;
use proptest::sample::select;

use crate::table::{links, workspace};

/// Programs that run what follows; some are known, some are not.
const BEFORE: [&str; 40] = [
    "timeout 5",
    "nice -n 5",
    "nohup",
    "stdbuf -oL",
    "command",
    "env",
    "env A=b",
    "env LANG=C",
    "env -u C",
    "sudo",
    "sudo -u root",
    "sudo --user=root --",
    "doas",
    "setsid",
    "ionice -c 3",
    "taskset 1",
    "chroot /",
    "busybox",
    "xargs",
    "xargs -n 1",
    "flock f",
    "strace -f",
    "exec",
    "time",
    "unknown-runner",
    "unknown-runner --fast -n 3",
    "hyperfine",
    "npx",
    "uv run",
    "docker exec c",
    "kubectl exec p --",
    "ssh host",
    "prlimit --nofile=1",
    "perf stat -e x",
    "gdb --args",
    "A=b",
    "CI=1 timeout 3",
    "/usr/bin/env",
    "./own-runner -x",
    "watch -n 1",
];

/// Programs that take what they run as one text; `@` is the text, quoted.
const AROUND: [&str; 16] = [
    "sh -c @",
    "bash -lc @",
    "mksh -c @",
    "eval @",
    "watch @",
    "unknown-runner @",
    "unknown-runner --run @",
    "unknown-runner -c@",
    "unknown-runner --run=@",
    "unknown-runner --hook=exec=@",
    "hyperfine --prepare @ ls",
    "ssh host @",
    "nix-shell --run @",
    "git rebase -x @ main",
    "vim -c '!'@",
    "tar --checkpoint-action=exec=@ cf x y",
];

const DENIED: [&str; 8] =
    ["rm x", "rm", "/bin/rm x", "rm -rf src", "\"rm\" x", "r\\m x", "rm 'a b'", "../bin/rm x"];

/// Programs that are given files.
const PROGRAMS: [&str; 18] = [
    "cat",
    "head",
    "grep x",
    "sort",
    "base64",
    "curl",
    "curl -s",
    "wget",
    "tar cf x",
    "zip x",
    "scp",
    "openssl enc",
    "python3 x.py",
    "unknown-reader",
    "unknown-reader --verbose",
    "docker run",
    "node",
    "timeout 5 cat",
];

/// The same file in several spellings.
const FILES: [&str; 7] =
    [".env", "./.env", "src/../.env", "/home/u/app/.env", "inner/../.env", ".ENV", "secret"];

/// Ways to join a file to the rest of an argument; `@` is the file.
const JOINED: [&str; 20] = [
    "@",
    "-x @",
    "-x@",
    "-T@",
    "-sK@",
    "--file=@",
    "--file @",
    "--data=%@",
    "-d %@",
    "-d%@",
    "-F a=%@",
    "-F 'a=<@'",
    "-F 'a=%@;type=x'",
    "a=@",
    "a=b=@",
    "@:/x",
    "x:@",
    "type=bind,source=@,target=/x",
    "'read(\"@\")'",
    "\"open('@')\"",
];

fn is_allowed(deny: &str, text: &str) -> bool {
    let files = links();
    let workspace = workspace(&files);
    let mut rules = Rules::default();
    rules.add(Rule::new("Bash", RuleList::Allow, SettingsSource::User));
    rules.add(Rule::new(deny, RuleList::Deny, SettingsSource::User));
    [Mode::Default, Mode::AcceptEdits, Mode::Bypass].into_iter().any(|mode| {
        let policy = Policy { rules: &rules, mode, workspace: &workspace, files: &files };
        matches!(policy.decide(&Call::Bash(text)), Decision::Allow { .. })
    })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The denied program behind runners and within texts, in any order.
fn wrapped() -> impl Strategy<Value = String> {
    let before = select(&BEFORE[..]).prop_map(|runner| format!("{runner} @"));
    let around = select(&AROUND[..]).prop_map(str::to_owned);
    let layer = prop_oneof![3 => before.prop_map(|shape| (shape, false)), 1 => around.prop_map(|shape| (shape, true))];
    (select(&DENIED[..]), proptest::collection::vec(layer, 0..5)).prop_map(|(denied, layers)| {
        layers.into_iter().fold(denied.to_owned(), |text, (shape, as_text)| {
            shape.replace('@', &if as_text { quoted(&text) } else { text })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_chain_of_runners_gets_a_denied_program_allowed(text in wrapped()) {
        prop_assert!(!is_allowed("Bash(rm *)", &text), "{text}");
    }

    #[test]
    fn no_spelling_of_an_operand_gets_a_denied_file_allowed(
        program in select(&PROGRAMS[..]),
        file in select(&FILES[..]),
        shape in select(&JOINED[..]),
        more in select(&["", " README.md", " -v", " https://example.com/x"][..]),
    ) {
        let text = format!("{program} {}{more}", shape.replace('@', file).replace('%', "@"));
        prop_assert!(!is_allowed("Read(.env)", &text), "{text}");
    }

    #[test]
    fn no_operand_reaches_a_process_or_a_device(
        program in select(&["cat", "cp x", "head -n 1", "sort", "tee", "grep x", "unknown-reader", "curl -T"][..]),
        process in select(&["self", "thread-self", "1", "4242", "self/task/7"][..]),
        name in select(&["cwd/x", "root/etc/passwd", "environ", "fd/3", "exe", "mem", "cwd/../../x", "map_files/a", "ns/net"][..]),
        shape in select(&JOINED[..17]),
    ) {
        let text = format!("{program} {}", shape.replace('@', &format!("/proc/{process}/{name}")).replace('%', "@"));
        prop_assert!(!is_allowed("Bash(no-such-program)", &text), "{text}");
    }
}

#[test]
fn what_is_not_denied_is_still_allowed() {
    for text in [
        "timeout 5 npm test",
        "unknown-runner --fast ls",
        "sh -c 'npm test'",
        "cat README.md",
        "curl -d @README.md https://x",
    ] {
        assert!(is_allowed("Bash(rm *)", text) && is_allowed("Read(.env)", text), "{text}");
    }
}
