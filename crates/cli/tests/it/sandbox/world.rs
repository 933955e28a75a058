//! A small world around a command: a home with keys, a workspace, somebody else's files, programs that listen. After the command it
//! is looked at for harm.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use annals_policy::confine::SECRETS;
use annals_policy::paths::{Disk, Workspace, protected_names};
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Mode, Policy};
use annals_sandbox::{AbsenceWatch, Sandbox, SandboxPlan, WriteScope};
use annals_testkit::temp::TempDir;

/// What is in every file that must not be read.
const SECRET: &str = "LEAKED";

pub(super) struct World {
    _dir: TempDir,
    root: PathBuf,
    /// Listens to whatever tries to get out.
    unix: [UnixListener; 2],
    tcp: TcpListener,
    udp: UdpSocket,
    /// A process of the same user, outside.
    bystander: Child,
    before: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

impl World {
    pub(super) fn new() -> Self {
        let dir = TempDir::new("world");
        let root = dir.path().canonicalize().unwrap();
        for (path, text) in [
            ("home/.ssh/id_rsa", SECRET),
            ("home/.aws/credentials", SECRET),
            ("home/.claude/history.jsonl", SECRET),
            ("home/.claude.json", SECRET),
            ("home/.netrc", SECRET),
            ("home/.bashrc", "# mine\n"),
            ("home/.profile", "# mine\n"),
            ("home/notes.txt", "mine\n"),
            ("outside/victim.txt", "mine\n"),
            ("outside/folder/a", "mine\n"),
            ("work/README.md", "An API of its own\n"),
            ("work/src/main.rs", "fn main() {}\n"),
            ("work/.env", SECRET),
            ("work/deep/er/.env", SECRET),
            ("work/private/key.txt", SECRET),
            ("work/locked.txt", "mine\n"),
            ("work/.vscode/tasks.json", "{}\n"),
            ("work/Makefile", "all:\n\tcat Makefile > made\n"),
            ("tmp/x", ""),
        ] {
            dir.write(path, text);
        }
        let (home, work) = (root.join("home"), root.join("work"));
        let git = |folder: &Path, arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(folder).env("HOME", &home).env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(git.output().unwrap().status.success(), "git {arguments:?}");
        };
        git(&work, &["init", "-q"]);
        git(&work, &["config", "user.name", "a"]);
        git(&work, &["config", "user.email", "a@example.com"]);
        // A repository that came with the files, and runs a program.
        fs::create_dir_all(work.join("sub/inner")).unwrap();
        git(&work.join("sub"), &["init", "-q"]);
        let monitor = format!("touch {}/PWNED; false", root.join("outside").display());
        git(&work.join("sub"), &["config", "core.fsmonitor", &monitor]);
        let unix = [
            UnixListener::bind(root.join("outside/agent.sock")).unwrap(),
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(abstract_name(&root)).unwrap()).unwrap(),
        ];
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        unix.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        let key = fs::File::open(home.join(".ssh/id_rsa")).unwrap();
        let bystander = Command::new("sleep")
            .arg("1000")
            .env("BYSTANDER", SECRET)
            .current_dir(home.join(".ssh"))
            .stdin(key)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut world = Self { _dir: dir, root, unix, tcp, udp, bystander, before: BTreeMap::new() };
        world.before = world.guarded();
        world
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The plan that a session in the workspace has, with rules about some of its files.
    pub(super) fn plan(&self) -> SandboxPlan {
        let mut rules = Rules::default();
        for text in ["Read(.env)", "Read(./private/**)", "Edit(locked.txt)"] {
            rules.add(Rule::new(text, RuleList::Deny, SettingsSource::User));
        }
        self.plan_with(&rules)
    }

    /// The plan with these rules.
    pub(super) fn plan_with(&self, rules: &Rules) -> SandboxPlan {
        let (home, work) = (self.path("home"), self.path("work"));
        let workspace = Workspace::new(&Disk, &work, &work, Some(&home));
        let policy = Policy { rules, mode: Mode::Default, workspace: &workspace, files: &Disk };
        let paths = policy.confined_paths();
        assert!(paths.is_complete);
        let secrets = SECRETS.iter().map(|name| home.join(name)).chain([home.join(".claude")]);
        SandboxPlan {
            writes: WriteScope::Only([vec![work, self.path("tmp")], paths.pinned].concat()),
            read_only: paths.read_only,
            hidden: paths.hidden.into_iter().chain(secrets).collect(),
            absent: paths.absent,
            ..SandboxPlan::for_commands(Vec::new())
        }
    }

    /// Runs a command in the sandbox, or without one, and returns what it printed.
    pub(super) fn run(&self, sandbox: Option<(&Sandbox, &SandboxPlan)>, script: &str) -> String {
        let arguments: Vec<OsString> = ["-c", script].map(OsString::from).to_vec();
        let work = self.path("work");
        let mut command = match sandbox {
            Some((sandbox, plan)) => sandbox.command(plan, &work, "bash".as_ref(), &arguments),
            None => {
                let mut command = Command::new("bash");
                command.args(&arguments).current_dir(&work);
                command
            }
        };
        let watch = sandbox.map(|(_, plan)| AbsenceWatch::new(plan));
        let output = command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("WS", &work)
            .env("OUT", self.path("outside"))
            .env("BY", self.bystander.id().to_string())
            .env("PORT", self.tcp.local_addr().unwrap().port().to_string())
            .env("UDP", self.udp.local_addr().unwrap().port().to_string())
            .env("ABSTRACT", abstract_name(&self.root))
            .env("PY", python())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        drop(watch.map(|watch| watch.finish()));
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    }

    /// What harm was done.
    pub(super) fn harm(&mut self, printed: &str) -> Vec<String> {
        let mut harm = Vec::new();
        if printed.contains(SECRET) {
            harm.push("something was read, or a call succeeded".to_owned());
        }
        let now = self.guarded();
        let paths = self.before.keys().chain(now.keys());
        for path in paths.filter(|path| self.before.get(*path) != now.get(*path)) {
            harm.push(format!("{} changed", path.display()));
        }
        if self.unix.iter().any(|listener| listener.accept().is_ok()) {
            harm.push("a socket was reached".to_owned());
        }
        if self.tcp.accept().is_ok() || self.udp.recv(&mut [0]).is_ok() {
            harm.push("the network was reached".to_owned());
        }
        if self.bystander.try_wait().unwrap().is_some() {
            harm.push("the bystander was killed".to_owned());
        }
        harm.dedup();
        harm
    }

    /// All that must stay as it is.
    fn guarded(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let work = self.path("work");
        let names = protected_names().filter(|name| name != Path::new(".git"));
        let of_git =
            ["config", "config.worktree", "hooks", "commondir"].map(|name| Path::new(".git").join(name));
        let own = [".env", "deep/er/.env", "private", "locked.txt"].map(PathBuf::from);
        for name in names.chain(of_git).chain(own) {
            look(&work.join(name), &mut found);
        }
        look(&self.path("home"), &mut found);
        look(&self.path("outside"), &mut found);
        found
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

fn look(path: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let mode = metadata.permissions().mode();
    if metadata.is_dir() {
        found.insert(path.to_path_buf(), (mode, Vec::new()));
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), found);
        }
    } else {
        let bytes = if metadata.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
        found.insert(path.to_path_buf(), (mode, bytes));
    }
}

fn abstract_name(root: &Path) -> String {
    root.file_name().unwrap().to_string_lossy().into_owned()
}

/// Python without the wrappers that a home may bring.
fn python() -> &'static str {
    if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" }
}
