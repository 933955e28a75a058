//! White space as JavaScript knows it, which is more than JSON allows.

/// The bytes without what JavaScript counts as white space at either end.
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    let mut core = trim_start(bytes);
    while let Some(rest) = WHITE_SPACE.iter().find_map(|space| core.strip_suffix(*space)) {
        core = rest;
    }
    core
}

/// The same at the start only.
pub(crate) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = WHITE_SPACE.iter().find_map(|space| bytes.strip_prefix(*space)) {
        bytes = rest;
    }
    bytes
}

/// The white space of JavaScript, in UTF-8.
const WHITE_SPACE: [&[u8]; 25] = [
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\x0b",
    b"\x0c",
    "\u{a0}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{1680}".as_bytes(),
    "\u{2000}".as_bytes(),
    "\u{2001}".as_bytes(),
    "\u{2002}".as_bytes(),
    "\u{2003}".as_bytes(),
    "\u{2004}".as_bytes(),
    "\u{2005}".as_bytes(),
    "\u{2006}".as_bytes(),
    "\u{2007}".as_bytes(),
    "\u{2008}".as_bytes(),
    "\u{2009}".as_bytes(),
    "\u{200a}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
    "\u{202f}".as_bytes(),
    "\u{205f}".as_bytes(),
    "\u{3000}".as_bytes(),
];
