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
        match self.encoding {
            Encoding::Identity if self.format == Format::Ndjson => Ok(batch.ndjson()),
            Encoding::Identity => Ok(batch.json()),
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                self.write(batch, &mut encoder)?;
                encoder.finish()
            }
            Encoding::Zstd => {
                let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
                self.write(batch, &mut encoder)?;
                encoder.finish()
            }
        }
    }

    fn write(self, batch: &Batch, out: &mut impl Write) -> io::Result<()> {
        match self.format {
            Format::Ndjson => batch.write_ndjson(out),
            Format::Json => out.write_all(&batch.json()),
        }
    }
}
