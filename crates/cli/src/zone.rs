//! The system's time zone. Looking it up by name makes the library list all zones first; reading the file that
//! `/etc/localtime` points at is faster.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;

/// The link to the file of the zone.
const POINTER: &str = "/etc/localtime";
/// What precedes the zone's name in the path that the link points at.
const BEFORE_NAME: &str = "/zoneinfo/";

/// The zone that times are shown in; `named` is `TZ`.
pub(crate) fn of_system(named: Option<&str>) -> TimeZone {
    let pointed = if named.is_none() { pointed_at(Path::new(POINTER)) } else { None };
    pointed.unwrap_or_else(TimeZone::system)
}

fn pointed_at(pointer: &Path) -> Option<TimeZone> {
    let file = fs::canonicalize(pointer).ok()?;
    let (_, name) = file.to_str()?.split_once(BEFORE_NAME)?;
    TimeZone::tzif(name, &fs::read(&file).ok()?).ok()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking")]
mod tests {
    use annals_testkit::temp::TempDir;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn the_file_and_the_name_give_the_same_zone() {
        let Ok(by_name) = TimeZone::get("Europe/Berlin") else {
            panic!("this machine and the library know no Europe/Berlin")
        };
        let file = Path::new("/usr/share/zoneinfo/Europe/Berlin");
        if !file.exists() {
            return eprintln!("skipped: this machine has no zone files");
        }
        let folder = TempDir::new("zone");
        let pointer = folder.path().join("localtime");
        std::os::unix::fs::symlink(file, &pointer).unwrap();
        let by_file = pointed_at(&pointer).unwrap();
        assert_eq!(by_file.iana_name(), by_name.iana_name());
        for second in [0, 1_767_455_098, 1_783_000_000] {
            let time = Timestamp::from_second(second).unwrap();
            assert_eq!(by_file.to_offset(time), by_name.to_offset(time));
        }
        assert_eq!(pointed_at(&folder.path().join("none")), None);
    }
}
