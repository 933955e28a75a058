//! Few files however often it is added to, and nothing left of what is forgotten.

use std::collections::HashSet;
use std::fs;

use annals_vault::{Nobody, VersionId};

use crate::support::{Dice, Shop};

#[test]
fn many_small_runs_leave_few_files_and_every_version() {
    let (shop, dice, id) = (Shop::new(), Dice::new(1), Shop::id(1));
    let mut whole = Vec::new();
    for _ in 0..100 {
        let mut bytes = fs::read(shop.session(&id)).unwrap_or_default();
        bytes.extend_from_slice(dice.line(&id).as_bytes());
        shop.write_session(&id, &bytes);
        assert_eq!(shop.archive().kept.len(), 1);
        whole.push(bytes);
    }
    let versions = shop.versions();
    assert_eq!(versions.len(), 100);
    for (version, bytes) in versions.iter().zip(&whole) {
        assert_eq!(shop.unpack(version).unwrap()[&version.file], *bytes);
    }
    assert!(shop.vault_files().len() < 3 * 20, "{} files", shop.vault_files().len());
    let report = shop.vault.keeper().unwrap().verify(&shop.source, &mut Nobody).unwrap();
    assert!(report.is_sound() && report.healed.is_empty(), "{report:?}");
}

#[test]
fn what_is_forgotten_is_nowhere_and_the_rest_comes_back() {
    let (shop, dice) = (Shop::new(), Dice::new(1));
    let (first, second) = (Shop::id(1), Shop::id(2));
    let shared: String = (0..400).map(|_| dice.line("SELF")).collect();
    shop.write_session(&first, shared.replace("SELF", &first) + "the secret of the first\n");
    shop.write_session(&second, shared.replace("SELF", &second) + "nothing to hide\n");
    shop.archive();
    fs::write(shop.session(&first), "{\"redacted\":true}\n").unwrap();
    shop.archive();
    let versions = shop.versions();
    assert_eq!(versions.len(), 3);
    let whole: Vec<_> = versions.iter().map(|version| shop.unpack(version).unwrap()).collect();
    let holds = |word: &str| {
        let packs =
            shop.vault_files().into_iter().filter(|path| path.extension().is_some_and(|e| e == "zst"));
        packs.into_iter().any(|path| {
            let mut plain = Vec::new();
            // A pack is a stream that any zstd reads.
            zstd::stream::copy_decode(fs::File::open(path).unwrap(), &mut plain).unwrap();
            String::from_utf8_lossy(&plain).contains(word)
        })
    };
    assert!(holds("the secret") && holds("nothing to hide"));
    let before: u64 = shop.vault_files().iter().map(|path| fs::metadata(path).unwrap().len()).sum();

    let doomed: HashSet<VersionId> = versions
        .iter()
        .filter(|version| version.session == *first && version.bytes() > 100)
        .map(|version| version.id.clone())
        .collect();
    assert_eq!(doomed.len(), 1);
    shop.vault.keeper().unwrap().forget(&doomed, &shop.source, &mut Nobody).unwrap();
    assert!(!holds("the secret") && holds("nothing to hide") && holds("redacted"));
    for (version, whole) in versions.iter().zip(&whole).filter(|(version, _)| !doomed.contains(&version.id)) {
        assert_eq!(shop.unpack(version).unwrap(), *whole);
    }
    assert_eq!(shop.versions().len(), 2);
    let all: HashSet<VersionId> = shop.versions().into_iter().map(|version| version.id).collect();
    shop.vault.keeper().unwrap().forget(&all, &shop.source, &mut Nobody).unwrap();
    assert!(shop.versions().is_empty());
    let after: u64 = shop.vault_files().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(after < 2000 && after < before, "{after} of {before} bytes are left");
}
