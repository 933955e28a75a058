//! Damage of the vault's files: repaired if one place is hit, reported if more are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use annals_testkit::depth::repetitions;
use annals_vault::{NoProgress, VaultError, VerifyReport, Version};

use crate::support::{Dice, Fixture};

/// Sessions that take several blocks each, and share some.
fn filled(sessions: usize) -> (Fixture, BTreeMap<String, BTreeMap<String, Vec<u8>>>) {
    let (fixture, dice) = (Fixture::new(), Dice::new(7));
    let shared: String = (0..300).map(|_| dice.line("SELF")).collect();
    for number in 1..=sessions {
        let id = Fixture::id(number);
        let own: String = (0..700).map(|_| dice.line(&id)).collect();
        fixture.write_session(&id, shared.replace("SELF", &id) + &own);
        fixture.write(&format!("todos/{id}-agent-{id}.json"), format!("[{number}]"));
        if number % 3 == 0 {
            fixture.archive();
        }
    }
    fixture.archive();
    let versions = fixture.versions();
    let whole = versions.iter().map(|version| (version.id.to_string(), fixture.unpack(version).unwrap()));
    let whole = whole.collect();
    (fixture, whole)
}

/// How many versions can be restored; none may be restored wrongly.
fn coming_back(
    fixture: &Fixture,
    whole: &BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    versions: &[Version],
) -> usize {
    let back = |version: &&Version| match fixture.unpack(version) {
        Ok(files) => {
            assert_eq!(files, whole[version.id.as_str()], "wrong bytes came back");
            true
        }
        Err(error) => {
            assert!(error.is_damage(), "{error}");
            false
        }
    };
    versions.iter().filter(back).count()
}

fn verify(fixture: &Fixture) -> VerifyReport {
    fixture.vault.writer().unwrap().verify(&fixture.source, &mut NoProgress).unwrap()
}

fn flip(path: &Path, at: usize, with: u8) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= with;
    fs::write(path, bytes).unwrap();
}

#[test]
fn any_byte_may_go_wrong_and_everything_comes_back() {
    let (fixture, whole) = filled(7);
    let (versions, files, dice) = (fixture.versions(), fixture.vault_files(), Dice::new(11));
    assert!(files.len() >= 9, "{files:?}");
    for round in 0..repetitions(150) {
        let path = &files[dice.below(files.len())];
        let before = fs::read(path).unwrap();
        let (at, with) = (dice.below(before.len()), 1 + dice.below(255) as u8);
        flip(path, at, with);
        assert_eq!(fixture.vault.catalogue().unwrap().versions().len(), versions.len());
        assert_eq!(
            coming_back(&fixture, &whole, &versions),
            versions.len(),
            "byte {at} of {}",
            path.display()
        );
        if round % 5 == 0 {
            let report = verify(&fixture);
            assert!(report.is_sound(), "{report:?}");
            assert_eq!(report.healed, std::slice::from_ref(path));
            assert_eq!(fs::read(path).unwrap(), before, "healed to what it was");
        } else {
            fs::write(path, before).unwrap();
        }
    }
}

#[test]
fn damage_of_a_stretch_is_healed_as_a_whole() {
    let (fixture, whole) = filled(7);
    let versions = fixture.versions();
    for path in
        fixture.vault_files().iter().filter(|path| path.extension().is_some_and(|ending| ending == "zst"))
    {
        let before = fs::read(path).unwrap();
        let mut bytes = before.clone();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 100].fill(0);
        fs::write(path, &bytes).unwrap();
        assert_eq!(coming_back(&fixture, &whole, &versions), versions.len());
        assert!(verify(&fixture).is_sound());
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn a_pack_that_is_cut_short_or_gone_is_named_with_its_sessions_and_the_rest_comes_back() {
    for ruin in ["cut", "gone", "zeros"] {
        let (fixture, whole) = filled(7);
        let versions = fixture.versions();
        let packs: Vec<_> = fixture
            .vault_files()
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "zst"))
            .collect();
        let pack = packs.last().unwrap();
        match ruin {
            "cut" => fs::File::options().write(true).open(pack).unwrap().set_len(300).unwrap(),
            "zeros" => fs::write(pack, vec![0; fs::metadata(pack).unwrap().len() as usize]).unwrap(),
            _ => fs::remove_file(pack).unwrap(),
        }
        let back = coming_back(&fixture, &whole, &versions);
        assert!((1..versions.len()).contains(&back), "{ruin}: {back} of {}", versions.len());
        let report = verify(&fixture);
        assert_eq!(report.damaged.len(), 1, "{ruin}: {:?}", report.damaged);
        assert_eq!(&report.damaged[0].0, pack);
        assert_eq!(report.lost.len(), versions.len() - back, "{ruin}");
        assert_eq!(coming_back(&fixture, &whole, &versions), back, "{ruin}: verifying lost something");

        // The sessions are still in the store: the next run stores the chunks again.
        fixture.archive();
        assert_eq!(coming_back(&fixture, &whole, &versions), versions.len(), "{ruin}");
        let report = verify(&fixture);
        assert!(report.is_sound(), "{ruin}: {report:?}");
    }
}

#[test]
fn an_index_that_is_gone_or_cut_is_made_again_from_its_copy() {
    let (fixture, whole) = filled(4);
    let versions = fixture.versions();
    for folder in ["index", "mirror"] {
        for ruin in ["gone", "cut"] {
            let path =
                fs::read_dir(fixture.vault.path().join(folder)).unwrap().next().unwrap().unwrap().path();
            let before = fs::read(&path).unwrap();
            match ruin {
                "gone" => fs::remove_file(&path).unwrap(),
                _ => fs::write(&path, &before[..before.len() / 2]).unwrap(),
            }
            assert_eq!(coming_back(&fixture, &whole, &versions), versions.len());
            assert!(verify(&fixture).is_sound());
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}

#[test]
fn both_copies_of_an_index_gone_leave_a_pack_that_is_reported_and_kept() {
    let (fixture, _) = filled(4);
    let before = fixture.versions().len();
    for folder in ["index", "mirror"] {
        let mut paths: Vec<_> = fs::read_dir(fixture.vault.path().join(folder)).unwrap().flatten().collect();
        paths.sort_by_key(fs::DirEntry::path);
        fs::remove_file(paths[0].path()).unwrap();
    }
    assert!(fixture.versions().len() < before);
    let report = verify(&fixture);
    assert!(report.damaged.iter().any(|(_, why)| why.contains("has no index")), "{report:?}");
    fixture.archive();
    assert!(report.damaged.iter().all(|(path, _)| path.exists()), "a pack without an index was removed");
}

#[test]
fn a_later_form_is_refused_in_words() {
    let (fixture, _) = filled(1);
    for folder in ["index", "mirror"] {
        let path = fs::read_dir(fixture.vault.path().join(folder)).unwrap().next().unwrap().unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let at = bytes.windows(8).position(|word| word == b"version ").unwrap() + 8;
        assert_eq!(bytes[at], b'1');
        flip(&path, at, b'1' ^ b'2');
    }
    let error = fixture.vault.catalogue().unwrap_err();
    assert!(matches!(&error, VaultError::UnknownFormat { version, .. } if version == "2"), "{error}");
    assert!(fixture.vault.writer().is_err());
}
