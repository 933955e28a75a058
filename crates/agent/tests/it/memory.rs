//! Memory files: which are read, in which order, and what they can include.

use std::os::unix::fs::symlink;

use annals_agent::context::{Memory, MemorySource};
use annals_testkit::temp::TempDir;

#[test]
fn files_are_read_with_their_imports_and_no_further_than_they_may() {
    let folder = TempDir::new("memory");
    folder.write("secret.md", "outside");
    folder.write("work/CLAUDE.md", "first @notes/a.md @../secret.md @link.md @CLAUDE.md");
    folder.write("work/notes/a.md", "second @b.md");
    folder.write("work/notes/b.md", "third @c.md");
    folder.write("work/notes/c.md", "fourth @d.md");
    folder.write("work/notes/d.md", "fifth @e.md");
    folder.write("work/notes/e.md", "too deep");
    folder.write("work/CLAUDE.local.md", "mine");
    let work = folder.path().join("work");
    symlink(folder.path().join("secret.md"), work.join("link.md")).unwrap();
    std::fs::create_dir_all(work.join(".claude/CLAUDE.md")).unwrap();
    let memory = Memory::read(MemorySource::of_folder(&work));
    let said: Vec<_> = memory.files().iter().map(|file| file.text.split(' ').next().unwrap()).collect();
    assert_eq!(said, ["first", "second", "third", "fourth", "fifth", "mine"]);
}
