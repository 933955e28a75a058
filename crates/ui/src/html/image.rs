//! Images: where their data comes from.

use std::collections::HashMap;

use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::view::{ImageRef, image_data, image_type};

/// Gives images to a page.
pub trait ImageSource: Sync {
    /// Returns the address of an image of a file (of the session's, or of this sub-agent's); `None` if it is only named.
    /// The address is of the page's own server, or a `data:` of a type that [`image_type`] knows.
    fn address(&self, agent: Option<&str>, image: ImageRef) -> Option<String>;
}

/// Shows no images: they are named, with their size.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImages;

impl ImageSource for NoImages {
    fn address(&self, _: Option<&str>, _: ImageRef) -> Option<String> {
        None
    }
}

/// Puts images into the page itself.
#[derive(Debug, Default)]
pub struct EmbeddedImages<'t> {
    /// The files, by the id of the sub-agent; empty for the session's own.
    files: HashMap<String, &'t Transcript<'t>>,
}

impl<'t> EmbeddedImages<'t> {
    /// Takes images from the session's own file.
    pub fn new(main: &'t Transcript<'t>) -> Self {
        Self { files: HashMap::from([(String::new(), main)]) }
    }

    /// Takes images from the file of a sub-agent, too.
    pub fn add_agent(&mut self, id: &str, transcript: &'t Transcript<'t>) {
        self.files.insert(id.to_owned(), transcript);
    }
}

impl ImageSource for EmbeddedImages<'_> {
    fn address(&self, agent: Option<&str>, image: ImageRef) -> Option<String> {
        let transcript = self.files.get(agent.unwrap_or_default())?;
        // Records are in the order of their lines.
        let at = transcript.nodes().partition_point(|node| (node.line as usize) < image.line);
        transcript.nodes().get(at).filter(|node| node.line as usize == image.line)?;
        let data = image_data(&transcript.record(NodeIndex::new(at)), image.number)?;
        let data = data.decode();
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        if !data.bytes().all(is_base64) {
            return None;
        }
        Some(format!("data:{};base64,{data}", image_type(&opening_bytes(&data))?))
    }
}

/// The first bytes of data in Base64.
fn opening_bytes(data: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let four = |chunk: &[u8]| chunk.iter().fold(0, |sum, &byte| sum << 6 | value(byte)).to_be_bytes();
    let head = data.as_bytes().chunks_exact(4).take(4);
    head.flat_map(|chunk| four(chunk).into_iter().skip(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(content: &str) -> Option<String> {
        let line = format!(r#"{{"type":"user","uuid":"a","message":{{"content":{content}}}}}"#);
        let transcript = Transcript::parse(line.as_bytes());
        EmbeddedImages::new(&transcript).address(None, ImageRef { line: 1, number: 0 })
    }

    fn block(media_type: &str, data: &str) -> String {
        format!(
            r#"[{{"type":"image","source":{{"type":"base64","media_type":"{media_type}","data":"{data}"}}}}]"#
        )
    }

    #[test]
    fn an_image_is_what_its_bytes_say() {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
        assert_eq!(address(&block("image/svg+xml", png)), Some(format!("data:image/png;base64,{png}")));
        // "<svg onload=...>" in Base64.
        assert_eq!(address(&block("image/png", "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+")), None);
        assert_eq!(address(&block("image/png", &format!("{png}\\\" onerror=x"))), None);
        assert_eq!(address("\"text\""), None);
    }
}
