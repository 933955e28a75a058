//! Few files after many runs, and nothing left of forgotten versions.

use std::collections::HashSet;
use std::fs;

use annals_vault::{NoProgress, VersionId};

use crate::support::{Dice, Fixture};

#[test]
fn many_small_runs_leave_few_files_and_every_version() {
    let (fixture, dice, id) = (Fixture::new(), Dice::new(1), Fixture::id(1));
    let mut whole = Vec::new();
    for _ in 0..100 {
        let mut bytes = fs::read(fixture.session(&id)).unwrap_or_default();
        bytes.extend_from_slice(dice.line(&id).as_bytes());
        fixture.write_session(&id, &bytes);
        assert_eq!(fixture.archive().kept.len(), 1);
        whole.push(bytes);
    }
    let versions = fixture.versions();
    assert_eq!(versions.len(), 100);
    for (version, bytes) in versions.iter().zip(&whole) {
        assert_eq!(fixture.unpack(version).unwrap()[&version.file], *bytes);
    }
    assert!(fixture.vault_files().len() < 3 * 20, "{} files", fixture.vault_files().len());
    let report = fixture.vault.writer().unwrap().verify(&fixture.source, &mut NoProgress).unwrap();
    assert!(report.is_sound() && report.healed.is_empty(), "{report:?}");
}

#[test]
fn what_is_forgotten_is_nowhere_and_the_rest_comes_back() {
    let (fixture, dice) = (Fixture::new(), Dice::new(1));
    let (first, second) = (Fixture::id(1), Fixture::id(2));
    let shared: String = (0..400).map(|_| dice.line("SELF")).collect();
    fixture.write_session(&first, shared.replace("SELF", &first) + "the secret of the first\n");
    fixture.write_session(&second, shared.replace("SELF", &second) + "nothing to hide\n");
    fixture.archive();
    fs::write(fixture.session(&first), "{\"redacted\":true}\n").unwrap();
    fixture.archive();
    let versions = fixture.versions();
    assert_eq!(versions.len(), 3);
    let whole: Vec<_> = versions.iter().map(|version| fixture.unpack(version).unwrap()).collect();
    let holds = |word: &str| {
        let packs =
            fixture.vault_files().into_iter().filter(|path| path.extension().is_some_and(|e| e == "zst"));
        packs.into_iter().any(|path| {
            let mut plain = Vec::new();
            // A pack is a stream that any zstd reads.
            zstd::stream::copy_decode(fs::File::open(path).unwrap(), &mut plain).unwrap();
            String::from_utf8_lossy(&plain).contains(word)
        })
    };
    assert!(holds("the secret") && holds("nothing to hide"));
    let before: u64 = fixture.vault_files().iter().map(|path| fs::metadata(path).unwrap().len()).sum();

    let forgotten: HashSet<VersionId> = versions
        .iter()
        .filter(|version| version.session == *first && version.bytes() > 100)
        .map(|version| version.id.clone())
        .collect();
    assert_eq!(forgotten.len(), 1);
    fixture.vault.writer().unwrap().forget(&forgotten, &fixture.source, &mut NoProgress).unwrap();
    assert!(!holds("the secret") && holds("nothing to hide") && holds("redacted"));
    for (version, whole) in
        versions.iter().zip(&whole).filter(|(version, _)| !forgotten.contains(&version.id))
    {
        assert_eq!(fixture.unpack(version).unwrap(), *whole);
    }
    assert_eq!(fixture.versions().len(), 2);
    let all: HashSet<VersionId> = fixture.versions().into_iter().map(|version| version.id).collect();
    fixture.vault.writer().unwrap().forget(&all, &fixture.source, &mut NoProgress).unwrap();
    assert!(fixture.versions().is_empty());
    let after: u64 = fixture.vault_files().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(after < 2000 && after < before, "{after} of {before} bytes are left");
}
