//! A batch as the body of a request: which form, and how it is compressed.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::item::Batch;

/// A low level of zstd: text compresses well anyway.
const ZSTD_LEVEL: i32 = 3;

/// The form of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One item a line.
    #[default]
    Ndjson,
    /// One array of items.
    Json,
}

/// How a body is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Identity,
    /// `Content-Encoding: gzip`
    Gzip,
    /// `Content-Encoding: zstd`
    #[default]
    Zstd,
}

/// How a batch becomes the body of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyOptions {
    /// The form.
    pub format: Format,
    /// The compression.
    pub encoding: Encoding,
}

impl BodyOptions {
    /// The value of `Content-Type`.
    pub(super) fn content_type(self) -> &'static str {
        match self.format {
            Format::Ndjson => "application/x-ndjson",
            Format::Json => "application/json",
        }
    }

    /// The value of `Content-Encoding`, if there is one.
    pub(super) fn content_encoding(self) -> Option<&'static str> {
        match self.encoding {
            Encoding::Identity => None,
            Encoding::Gzip => Some("gzip"),
            Encoding::Zstd => Some("zstd"),
        }
    }

    /// Writes and compresses a batch.
    pub(super) fn encode(self, batch: &Batch) -> io::Result<Vec<u8>> {
        let plain = match self.format {
            Format::Ndjson => batch.ndjson(),
            Format::Json => batch.json(),
        };
        match self.encoding {
            Encoding::Identity => Ok(plain),
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&plain)?;
                encoder.finish()
            }
            Encoding::Zstd => zstd::encode_all(&plain[..], ZSTD_LEVEL),
        }
    }
}
