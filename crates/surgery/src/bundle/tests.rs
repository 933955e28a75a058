//! Bundles that somebody else made: hostile, damaged, or something else.

use annals_store::digest::sha256;
use proptest::prelude::*;

use super::tar::{write_end, write_file};
use super::*;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// An archive of these files, whose manifest announces them.
fn archive(session: &str, slug: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let announced: Vec<String> = files
        .iter()
        .map(|(path, bytes)| {
            let mut name = Vec::new();
            annals_json::write_string(&mut name, path);
            let name = String::from_utf8(name).unwrap();
            format!(r#"{{"path":{name},"size":{},"sha256":"{}"}}"#, bytes.len(), sha256(bytes))
        })
        .collect();
    let manifest = format!(
        r#"{{"format":"annals-bundle","version":1,"session":"{session}","project":"{slug}","files":[{}]}}"#,
        announced.join(",")
    );
    with_manifest(&manifest, files)
}

fn with_manifest(manifest: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    write_file(&mut out, "manifest.json", manifest.as_bytes()).unwrap();
    for (path, bytes) in files {
        write_file(&mut out, path, bytes).unwrap();
    }
    write_end(&mut out).unwrap();
    out
}

/// With a checksum, as bundles have it: without, one bit of the compressed bytes can change an id wherever it is.
fn packed(archive: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    io::Write::write_all(&mut encoder, archive).unwrap();
    encoder.finish().unwrap()
}

fn read(archive: &[u8]) -> Result<Bundle, BundleError> {
    Bundle::read(&packed(archive)[..])
}

fn session_file() -> String {
    format!("projects/-w/{ID}.jsonl")
}

#[test]
fn what_is_written_is_read() {
    let files = [session_file(), format!("projects/-w/{ID}/tool-results/a.txt"), "plans/p.md".to_owned()];
    let file = |path: &String| BundleFile { path: path.clone(), bytes: path.repeat(200).into_bytes().into() };
    let bundle = Bundle { session: ID.into(), slug: "-w".into(), files: files.iter().map(file).collect() };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    bundle.write(&mut first).unwrap();
    bundle.write(&mut second).unwrap();
    assert_eq!(first, second);
    assert_eq!(Bundle::read(&first[..]).unwrap(), bundle);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let name = session_file();
    for bad in [
        "../evil",
        "/etc/passwd",
        "projects/-w/../../evil.jsonl",
        "projects/-w//x.jsonl",
        "projects\\-w\\x.jsonl",
        "plans/.hidden.md",
        "plans/a\nb.md",
        "plans/a\u{202e}b.md",
        "plans/C:.md",
        "",
        ".",
        "plans/",
    ] {
        let refused = read(&archive(ID, "-w", &[(&name, b"{}\n"), (bad, b"x")])).unwrap_err();
        assert!(matches!(refused, BundleError::Name(_)), "{bad:?}: {refused}");
    }
    for (session, slug) in [("..", "-w"), ("a/b", "-w"), (ID, ".."), (ID, "a/b"), ("", "-w"), (ID, "")] {
        let file = format!("projects/{slug}/{session}.jsonl");
        assert!(read(&archive(session, slug, &[(&file, b"{}\n")])).is_err(), "{session} {slug}");
    }
}

#[test]
fn files_of_anything_else_are_refused() {
    let name = session_file();
    for bad in [
        "settings.json".to_owned(),
        "settings.local.json".to_owned(),
        "CLAUDE.md".to_owned(),
        "commands/x.md".to_owned(),
        "agents/x.md".to_owned(),
        "sessions/1.json".to_owned(),
        "stats-cache.json".to_owned(),
        "projects/-w/sessions-index.json".to_owned(),
        "projects/-w/memory/MEMORY.md".to_owned(),
        // Clients run what is in there.
        format!("session-env/{ID}/hook.sh"),
        // Of another session, or another project.
        "projects/-w/other.jsonl".to_owned(),
        format!("projects/-v/{ID}/tool-results/a.txt"),
        "projects/-w/other/tool-results/a.txt".to_owned(),
        "projects/-w/other/subagents/agent-a.jsonl".to_owned(),
        "projects/-v/agent-a.jsonl".to_owned(),
        "todos/other-agent-other.json".to_owned(),
        "file-history/other/0123456789abcdef@v1".to_owned(),
        format!("projects/-w/sub/{ID}.jsonl"),
        "history.jsonl.lock".to_owned(),
    ] {
        let refused = read(&archive(ID, "-w", &[(&name, b"{}\n"), (&bad, b"x")])).unwrap_err();
        assert!(matches!(refused, BundleError::Foreign { .. }), "{bad}: {refused}");
    }
}

#[test]
fn an_archive_that_is_not_what_it_announces_is_refused() {
    let name = session_file();
    let twice = archive(ID, "-w", &[(&name, b"{}\n"), ("plans/a.md", b"1"), ("plans/A.md", b"2")]);
    assert!(matches!(read(&twice), Err(BundleError::Twice { .. })));
    assert!(matches!(read(&archive(ID, "-w", &[("plans/a.md", b"1")])), Err(BundleError::NoSession)));
    let manifest = |files: &str| {
        format!(
            r#"{{"format":"annals-bundle","version":1,"session":"{ID}","project":"-w","files":[{files}]}}"#
        )
    };
    let announced = format!(r#"{{"path":"{name}","size":3,"sha256":"{}"}}"#, sha256(b"{}\n"));
    let files: [(&str, &[u8]); 1] = [(&name, b"{}\n")];
    assert!(read(&with_manifest(&manifest(&announced), &files)).is_ok());
    // More, less, another order, other bytes, another size.
    let more: [(&str, &[u8]); 2] = [(&name, b"{}\n"), ("plans/a.md", b"1")];
    assert!(matches!(read(&with_manifest(&manifest(&announced), &more)), Err(BundleError::Differs { .. })));
    assert!(matches!(read(&with_manifest(&manifest(&announced), &[])), Err(BundleError::Differs { .. })));
    let other: [(&str, &[u8]); 1] = [(&name, b"[]\n")];
    assert!(matches!(read(&with_manifest(&manifest(&announced), &other)), Err(BundleError::Differs { .. })));
    let longer: [(&str, &[u8]); 1] = [(&name, b"{}\n\n")];
    assert!(matches!(read(&with_manifest(&manifest(&announced), &longer)), Err(BundleError::Differs { .. })));
    // Sizes that no machine has.
    let huge = format!(r#"{{"path":"{name}","size":9000000000000000000,"sha256":"0"}}"#);
    assert!(matches!(read(&with_manifest(&manifest(&huge), &[])), Err(BundleError::TooLarge { .. })));
    let both = format!("{huge},{}", huge.replace(ID, "x"));
    assert!(matches!(read(&with_manifest(&manifest(&both), &[])), Err(BundleError::TooLarge { .. })));
}

#[test]
fn other_formats_and_versions_are_refused() {
    assert!(matches!(Bundle::read(&b""[..]), Err(BundleError::NotABundle)));
    assert!(matches!(Bundle::read(&b"{\"type\":\"user\"}\n"[..]), Err(BundleError::NotABundle)));
    assert!(matches!(read(b"not an archive"), Err(BundleError::Tar(_))));
    let version = |text: &str| with_manifest(text, &[]);
    let newer = r#"{"format":"annals-bundle","version":2,"session":"a","project":"b","files":[]}"#;
    assert!(matches!(read(&version(newer)), Err(BundleError::Version { found: 2 })));
    for wrong in ["", "[]", "{}", r#"{"format":"zip"}"#, r#"{"format":"annals-bundle"}"#, "{"] {
        assert!(matches!(read(&version(wrong)), Err(BundleError::Manifest { .. })), "{wrong}");
    }
}

/// Without a checksum, a changed bit could be another id.
#[test]
fn a_bundle_without_a_checksum_is_refused() {
    let packed = zstd::stream::encode_all(&b"anything"[..], 3).unwrap();
    assert!(matches!(Bundle::read(&packed[..]), Err(BundleError::NoChecksum)));
}

/// A few kilobytes that unpack to gigabytes: nothing is unpacked that was not announced, and no more than may be.
#[test]
fn a_decompression_bomb_is_refused_early() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    let zeros = vec![b' '; 1 << 20];
    let mut header = Vec::new();
    write_file(&mut header, "manifest.json", b"").unwrap();
    // The size of the manifest is 4 GiB, as far as the header says.
    header.truncate(512);
    header[124..136].copy_from_slice(b"40000000000\0");
    let sum: u32 = header
        .iter()
        .enumerate()
        .map(|(at, &byte)| if (148..156).contains(&at) { 32 } else { u32::from(byte) })
        .sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    io::Write::write_all(&mut encoder, &header).unwrap();
    for _ in 0..64 {
        io::Write::write_all(&mut encoder, &zeros).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 64 * 1024);
    assert!(matches!(Bundle::read(&bomb[..]), Err(BundleError::Manifest { what: "it is too large" })));
}

proptest! {
    /// Whatever happens to an archive, it is read as it was, or refused.
    #[test]
    fn a_changed_archive_is_refused(at in 0_usize..6000, byte: u8, cut in prop::option::of(0_usize..6000)) {
        let name = session_file();
        let whole = archive(ID, "-w", &[(&name, b"{\"a\":1}\n"), ("plans/a.md", b"text")]);
        let original = read(&whole).unwrap();
        let mut changed = whole.clone();
        if let Some(place) = changed.get_mut(at) {
            *place = byte;
        }
        changed.truncate(cut.unwrap_or(usize::MAX).min(whole.len()));
        if let Ok(bundle) = read(&changed) {
            prop_assert_eq!(bundle, original);
        }
    }

    /// The same for the compressed bytes, and for bytes that are no bundle at all.
    #[test]
    fn changed_bytes_are_refused(at in 0_usize..1000, byte: u8, noise in prop::collection::vec(any::<u8>(), 0..600)) {
        let name = session_file();
        let whole = archive(ID, "-w", &[(&name, b"{\"a\":1}\n")]);
        let original = read(&whole).unwrap();
        let mut bytes = packed(&whole);
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        if let Ok(bundle) = Bundle::read(&bytes[..]) {
            prop_assert_eq!(bundle, original);
        }
        let magic = [0x28, 0xb5, 0x2f, 0xfd];
        prop_assert!(Bundle::read(&noise[..]).is_err());
        prop_assert!(Bundle::read(&[&magic[..], &noise].concat()[..]).is_err());
        prop_assert!(read(&noise).is_err());
    }
}
