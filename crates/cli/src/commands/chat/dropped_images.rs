//! Files of images that are dropped on a terminal, which pastes their paths: quoted, with escaped spaces, or as `file://` addresses.

use std::path::{Path, PathBuf};

use annals_agent::tools::prompt_image;
use annals_store::read::read_file;
use annals_tui::editor::Image;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 20;
/// Files that one paste attaches.
const MAX_FILES: usize = 20;
/// Longer pastes are no paths.
const MAX_PASTE: usize = 16 << 10;
const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// Returns the images that a pasted text names; none unless all of it is paths of images that exist.
pub(super) fn dropped_images(pasted: &str, home: Option<&Path>) -> Result<Vec<Image>, String> {
    if pasted.len() > MAX_PASTE {
        return Ok(Vec::new());
    }
    let whole = pasted.trim();
    let words = match image_path(whole, home).filter(|path| path.is_file()) {
        Some(path) => vec![path],
        None => match words(whole).map(|words| words.iter().map(|word| image_path(word, home)).collect()) {
            Some(Some(paths)) => paths,
            _ => return Ok(Vec::new()),
        },
    };
    if words.is_empty() || words.len() > MAX_FILES || !words.iter().all(|path| path.is_file()) {
        return Ok(Vec::new());
    }
    words.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Image, String> {
    let name = path.display();
    let size = path.metadata().map_err(|error| format!("{name}: {error}"))?.len();
    if size > MAX_BYTES {
        return Err(format!("{name} is larger than 64 MB: kept as a path"));
    }
    let bytes = read_file(path).map_err(|error| error.to_string())?;
    match prompt_image(&bytes) {
        Ok(Some(image)) => {
            let (media_type, path) = (image.media_type.to_owned(), Some(name.to_string()));
            Ok(Image { media_type, base64: image.base64, path })
        }
        Ok(None) => Err(format!("{name} is not an image that can be sent: kept as a path")),
        Err(error) => Err(format!("{name} is kept as a path: {error}")),
    }
}

/// The absolute path of an image that a word is.
fn image_path(word: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match (word.strip_prefix("file://"), word.strip_prefix("~/")) {
        (Some(address), _) => PathBuf::from(decoded(address.strip_prefix("localhost").unwrap_or(address))?),
        (None, Some(below)) => home?.join(below),
        (None, None) => PathBuf::from(word),
    };
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    (path.is_absolute() && ENDINGS.contains(&ending.as_str())).then_some(path)
}

/// The characters that `%` stands for in an address.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The words of a shell line; `None` if a quotation does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => word.get_or_insert_default().push(letters.next()?),
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use annals_testkit::home::Home;

    use super::*;

    /// The smallest GIF.
    const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    #[test]
    fn every_way_of_writing_a_path_is_understood() {
        let home = Home::new();
        let folder = home.work_dir().join("my pictures");
        std::fs::create_dir_all(&folder).unwrap();
        let (one, two) = (folder.join("it's one.gif"), folder.join("two.GIF"));
        std::fs::write(&one, GIF).unwrap();
        std::fs::write(&two, GIF).unwrap();
        std::fs::write(folder.join("text.png"), "no image").unwrap();
        let folder = folder.display().to_string();
        let escaped = folder.replace(' ', "\\ ");
        let paths = |pasted: &str| {
            let images = dropped_images(pasted, Some(Path::new(&folder)));
            images.map(|images| images.into_iter().map(|image| image.path.unwrap()).collect::<Vec<_>>())
        };
        let (one, two) = (one.display().to_string(), two.display().to_string());
        for pasted in [
            one.clone(),
            format!(" {one}\n"),
            format!("{escaped}/it\\'s\\ one.gif"),
            format!("\"{one}\""),
            format!("'{folder}/it'\\''s one.gif'"),
            format!("file://{}/it%27s%20one.gif", folder.replace(' ', "%20")),
            "~/it\\'s\\ one.gif".to_owned(),
        ] {
            assert_eq!(paths(&pasted), Ok(vec![one.clone()]), "{pasted}");
        }
        let both = format!("{escaped}/it\\'s\\ one.gif '{two}'");
        assert_eq!(paths(&both), Ok(vec![one, two.clone()]));
        for pasted in [
            "",
            "words about a.gif",
            "two.GIF",
            "/nowhere/two.gif",
            &format!("look at '{two}'"),
            &format!("'{two}"),
            &format!("'{two}' /nowhere/two.gif"),
            &format!("{folder}/"),
            "file:///%zz.gif",
        ] {
            assert_eq!(paths(pasted), Ok(Vec::new()), "{pasted}");
        }
        assert!(paths(&format!("'{folder}/text.png'")).unwrap_err().contains("not an image"));
    }
}
