//! What developers do all day works in the sandbox.

use super::world::World;
use super::{methods, sandbox};

/// A command, and what it prints.
const COMMANDS: &[(&str, &str)] = &[
    ("echo hi > src/new && cat src/new", "hi"),
    ("mkdir -p target/debug && touch target/debug/x && rm -r target && echo done", "done"),
    ("mv README.md b.md && cp b.md c.md && ln -s b.md d.md && cat d.md", "An API"),
    ("echo x > $TMPDIR/y && cat $TMPDIR/y && mktemp", "x"),
    ("cat /etc/passwd | head -1", "root"),
    ("cat ~/notes.txt", "mine"),
    ("echo to-stderr > /dev/stderr; echo to-stdout > /dev/stdout", "to-stderr"),
    ("cat <(echo one) <(echo two)", "two"),
    ("(sleep 0.05; echo later) & wait", "later"),
    ("for i in 1 2 3; do echo $i; done | sort -r | head -1", "3"),
    ("make && cat made", "all:"),
    ("$PY -c 'import tempfile; f = tempfile.NamedTemporaryFile(); print(\"temporary\")'", "temporary"),
    ("$PY -c 'import multiprocessing as m; l = m.Lock(); print(\"locked\")'", "locked"),
    ("$PY -c 'import subprocess; print(subprocess.check_output([\"echo\", \"child\"]))'", "child"),
    (
        "printf 'int main(void) { return 0; }' > a.c && cc a.c -o a.out && ./a.out && echo compiled",
        "compiled",
    ),
    ("git status --short | head -1 && echo status", "status"),
    ("git add src && git commit -q -m one && git log --oneline", "one"),
    ("git checkout -q -b other && git add src && git commit -q -m two && git branch", "* other"),
    ("git stash list && git gc -q && echo gc", "gc"),
    ("head -c 3 /dev/urandom | wc -c", "3"),
    ("exit 7", ""),
];

#[test]
fn ordinary_commands_work() {
    for method in &methods() {
        let Some(sandbox) = sandbox("daily", method) else { continue };
        for (script, wanted) in COMMANDS {
            let mut world = World::new();
            // Nothing is denied here but secrets: a command that reads all finds nothing closed.
            let plan = world.plan_with(&annals_policy::rules::Rules::default());
            let printed = world.run(Some((&sandbox, &plan)), script);
            assert!(printed.contains(wanted), "{method}: {script}: {printed}");
            let harm = world.harm(&printed.replace("LEAKED", ""));
            assert!(harm.is_empty(), "{method}: {script}: {harm:?}");
        }
    }
}

#[test]
fn programs_of_the_user_keep_everything_but_their_keys() {
    for method in &methods() {
        let Some(sandbox) = sandbox("helpers", method) else { continue };
        let world = World::new();
        let plan = annals_sandbox::SandboxPlan::for_helpers(&world.path("home"));
        let run = |script: &str| world.run(Some((&sandbox, &plan)), script);
        assert!(!run("cat ~/.ssh/id_rsa ~/.aws/credentials").contains("LEAKED"), "{method}");
        assert!(
            !run("cat /proc/$BY/cwd/id_rsa; ln -s ~/.ssh k; cat k/id_rsa").contains("LEAKED"),
            "{method}"
        );
        assert!(run("cat ~/.claude/history.jsonl").contains("LEAKED"), "{method}: its transcript");
        assert!(run("echo x > ~/new && cat ~/notes.txt").contains("mine"), "{method}");
        assert!(run("echo ok > $OUT/env-file && cat $OUT/env-file").contains("ok"), "{method}");
        let reached = run("exec 3<>/dev/tcp/127.0.0.1/$PORT && echo reached");
        assert!(reached.contains("reached"), "{method}: {reached}");
    }
}
