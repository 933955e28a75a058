//! Stopped at any step, as a crash would: old versions are there, and the next run continues.

use std::fs;
use std::ops::ControlFlow;

use annals_vault::{NoProgress, Progress, VaultError};

use crate::support::{Dice, Fixture};

struct StopAt(usize);

impl Progress for StopAt {
    fn step(&mut self) -> ControlFlow<()> {
        if self.0 == 0 {
            return ControlFlow::Break(());
        }
        self.0 -= 1;
        ControlFlow::Continue(())
    }
}

fn grow(fixture: &Fixture, dice: &Dice, round: usize) {
    for number in 0..3 {
        let id = Fixture::id(number);
        let path = fixture.session(&id);
        let mut bytes = fs::read(&path).unwrap_or_default();
        bytes.extend((0..20).flat_map(|_| dice.line(&id).into_bytes()));
        if number == 0 && round % 3 == 2 {
            bytes.truncate(bytes.len() / 2);
        }
        fixture.write_session(&id, bytes);
    }
}

#[test]
fn a_stop_at_any_step_loses_no_version() {
    let dice = Dice::new(5);
    let mut finished = 0;
    // Enough rounds that packs are merged, and that merging is stopped at each of its steps, too.
    let begun = Fixture::new();
    for round in 0..7 {
        grow(&begun, &dice, round);
        begun.archive();
    }
    let versions = begun.versions();
    let whole: Vec<_> = versions.iter().map(|version| begun.unpack(version).unwrap()).collect();
    grow(&begun, &dice, 7);
    for stop in 0..60 {
        let fixture = begun.copied();
        let stopped = fixture.try_archive(&mut StopAt(stop));
        assert!(matches!(stopped, Ok(_) | Err(VaultError::Stopped)), "{stopped:?}");
        finished += usize::from(stopped.is_ok());

        let check = |when: &str| {
            let now = fixture.versions();
            assert!(now.len() == versions.len() || now.len() == versions.len() + 3, "{when}: {}", now.len());
            for (version, whole) in versions.iter().zip(&whole) {
                assert!(now.contains(version), "{when}: a version is gone");
                assert_eq!(fixture.unpack(version).unwrap(), *whole, "{when}");
            }
            for version in &now {
                fixture.unpack(version).unwrap();
            }
        };
        check(&format!("stopped at step {stop}"));
        let report = fixture.vault.writer().unwrap().verify(&fixture.source, &mut NoProgress).unwrap();
        assert!(report.is_sound() && report.healed.is_empty(), "stopped at step {stop}: {report:?}");
        check(&format!("verified after a stop at step {stop}"));
        fixture.archive();
        check(&format!("gone on after a stop at step {stop}"));
        assert_eq!(fixture.versions().len(), versions.len() + 3, "stopped at step {stop}");
        let left: Vec<_> = fixture
            .vault_files()
            .into_iter()
            .filter(|path| path.to_string_lossy().contains(".new"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        if finished > 1 {
            return;
        }
    }
    panic!("no run came to its end");
}
