//! After any change of the files, a refreshed index equals one made from scratch.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use annals_index::Index;
use annals_store::DataDir;
use annals_testkit::builder::Session;
use annals_testkit::depth::repetitions;
use annals_testkit::home::Home;
use annals_testkit::spread::spread;
use annals_transcript::price::Prices;

use crate::{asked, dump, matches, refreshed};

/// Pseudo-random numbers, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// A store in which things happen, each at its own time.
struct World {
    home: Home,
    chance: Chance,
    clock: u64,
    made: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        Self { home: Home::new(), chance: Chance(seed), clock: 0, made: 0 }
    }

    fn sessions(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for project in ["-a", "-b"] {
            let folder = self.home.config_dir().join("projects").join(project);
            found.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        found.sort();
        found
    }

    fn some_session(&mut self) -> Option<PathBuf> {
        let all = self.sessions();
        (!all.is_empty()).then(|| all[self.chance.below(all.len())].clone())
    }

    fn touch(&mut self, path: &Path) {
        self.clock += 1;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + self.clock);
        File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }

    fn lines(&mut self) -> Vec<u8> {
        self.made += 1;
        let id = format!("{:08x}-0000-4000-8000-000000000000", self.made);
        let lines = Session::new()
            .id(&id)
            .prompt(&format!("ask number{} about the weather", self.made))
            .tool_use("Bash", r#"{"command":"ls","file_path":"/w/a.rs"}"#)
            .tool_result(&format!("output{}", self.made))
            .reply("done as asked")
            .into_bytes();
        // Some records take several lines, and a file may end inside of one.
        if self.chance.below(3) == 0 { spread(&lines) } else { lines }
    }

    fn new_session(&mut self) {
        let bytes = self.lines();
        let project = ["-a", "-b"][self.chance.below(2)];
        let name = format!("projects/{project}/{:08x}-1111-4000-8000-000000000000.jsonl", self.made);
        let path = self.home.write(name, bytes);
        self.touch(&path);
    }

    /// Makes one random change.
    fn step(&mut self) -> String {
        let happening = self.chance.below(12);
        let Some(path) = self.some_session().filter(|_| happening > 1) else {
            self.new_session();
            return "new".to_owned();
        };
        let bytes = fs::read(&path).unwrap();
        let what = match happening {
            2..=4 => {
                let more = self.lines();
                let end = if happening == 4 { self.chance.below(more.len()) } else { more.len() };
                fs::write(&path, [bytes, more[..end].to_vec()].concat()).unwrap();
                "appended"
            }
            5 => {
                let end = self.chance.below(bytes.len().max(1));
                fs::write(&path, &bytes[..end]).unwrap();
                "cut"
            }
            6 => {
                let other = self.lines();
                fs::write(&path, other).unwrap();
                "rewritten in place"
            }
            7 => {
                let other = [self.lines(), bytes].concat();
                let beside = path.with_extension("new");
                fs::write(&beside, other).unwrap();
                fs::rename(&beside, &path).unwrap();
                "replaced"
            }
            8 => {
                self.made += 1;
                let name = format!("{:08x}-2222-4000-8000-000000000000.jsonl", self.made);
                let to = self.home.config_dir().join("projects/-b").join(name);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::rename(&path, &to).unwrap();
                return format!("renamed {}", path.display());
            }
            9 => {
                fs::remove_file(&path).unwrap();
                return format!("removed {}", path.display());
            }
            10 => {
                // A fork: the same lines under another id, and more.
                self.made += 1;
                let name = format!("projects/-a/{:08x}-3333-4000-8000-000000000000.jsonl", self.made);
                let more = self.lines();
                let fork = self.home.write(name, [bytes, more].concat());
                self.touch(&fork);
                return format!("forked {}", path.display());
            }
            _ => {
                // The last line gets its end, or the missing line break.
                fs::write(&path, [bytes, b"\n".to_vec()].concat()).unwrap();
                "ended"
            }
        };
        self.touch(&path);
        format!("{what} {}", path.display())
    }
}

/// What is billed to existing files.
fn billed(index: &Index) -> Vec<String> {
    let connection = asked(index);
    let mut statement = connection
        .prepare(
            "SELECT 'charge ' || hex(key) || part || ' ' || path || ' ' || output || ' ' || nanos
               FROM charges JOIN files ON files.id = file WHERE state = 0
             UNION ALL SELECT 'spent ' || quarter || ' ' || path || ' ' || responses || ' ' || output || ' ' || nanos
               FROM spent JOIN files ON files.id = file WHERE state = 0 ORDER BY 1",
        )
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn an_index_that_followed_is_the_index_made_anew() {
    for seed in 0..repetitions(24) as u64 {
        let mut world = World::new(seed);
        let mut story = Vec::new();
        for _ in 0..25 {
            for _ in 0..=world.chance.below(3) {
                story.push(world.step());
            }
            let (index, _) = refreshed(&world.home.config_dir(), &world.home.data_dir());
            drop(index);
        }
        let (mut followed, again) = refreshed(&world.home.config_dir(), &world.home.data_dir());
        assert!(again.is_unchanged(), "seed {seed}: {again:?}");
        let elsewhere = world.home.path().join("elsewhere");
        let (rebuilt, _) = refreshed(&world.home.config_dir(), &elsewhere);
        // The rest is about deleted files.
        assert_eq!(billed(&followed), billed(&rebuilt), "seed {seed}: {story:#?}");
        followed
            .forget_gone(&HashSet::new(), &DataDir::new(world.home.data_dir()), &Prices::embedded())
            .unwrap();
        let (followed_rows, rows) = (dump(&followed), dump(&rebuilt));
        let first = followed_rows.iter().zip(&rows).find(|(left, right)| left != right);
        assert!(followed_rows == rows, "seed {seed}: {first:#?}\n{story:#?}");
        for word in ["weather", "done", "output3", "number7", "ls"] {
            assert_eq!(matches(&followed, word), matches(&rebuilt, word), "seed {seed}: {word}");
        }
    }
}
