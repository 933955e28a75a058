//! Page ranges: `3`, `1-5`, `2,4-6`, `10-`.

use super::PdfError;

/// The most pages that are shown at once.
pub(super) const MAX_PAGES: usize = 20;

/// Page ranges, before the number of pages is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct PageRanges(Vec<(usize, Option<usize>)>);

impl PageRanges {
    /// Parses page ranges; `None` if the text is empty.
    pub(in super::super) fn read(text: &str) -> Result<Option<Self>, PdfError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let wrong = || PdfError::NoRange { text: text.to_owned() };
        let number =
            |text: &str| text.trim().parse().ok().filter(|number: &usize| *number > 0).ok_or_else(wrong);
        let range = |part: &str| match part.split_once(['-', '–']) {
            None => number(part).map(|page| (page, Some(page))),
            Some((first, "")) => Ok((number(first)?, None)),
            Some((first, last)) if last.trim().is_empty() => Ok((number(first)?, None)),
            Some((first, last)) => Ok((number(first)?, Some(number(last)?))),
        };
        let ranges = text.split(',').map(range).collect::<Result<Vec<_>, _>>()?;
        if ranges.iter().any(|(first, last)| last.is_some_and(|last| last < *first)) {
            return Err(wrong());
        }
        Ok(Some(Self(ranges)))
    }

    /// The page indexes in a document with `total` pages: each once, in the requested order.
    pub(super) fn of(&self, total: usize) -> Result<Vec<usize>, PdfError> {
        let mut pages = Vec::new();
        for (first, last) in &self.0 {
            let last = last.unwrap_or(total);
            if *first > total || last > total {
                return Err(PdfError::OutOfRange { page: if *first > total { *first } else { last }, total });
            }
            for page in first - 1..last {
                if !pages.contains(&page) {
                    pages.push(page);
                }
                if pages.len() > MAX_PAGES {
                    return Err(PdfError::TooManyAsked { total });
                }
            }
        }
        Ok(pages)
    }
}

/// Formats page indexes as ranges, counted from 1.
pub(super) fn spelled(pages: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for page in pages {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => parts.push((*page, *page)),
        }
    }
    let part = |(first, last): &(usize, usize)| match first == last {
        true => (first + 1).to_string(),
        false => format!("{}-{}", first + 1, last + 1),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let pages = |text: &str| {
            let found = PageRanges::read(text).unwrap().unwrap().of(12);
            found.map(|pages| spelled(&pages)).map_err(|error| error.to_string())
        };
        assert_eq!(pages("3").unwrap(), "3");
        assert_eq!(pages(" 2, 4 - 6,5").unwrap(), "2, 4-6");
        assert_eq!(pages("10-").unwrap(), "10-12");
        assert_eq!(pages("7,1-2").unwrap(), "7, 1-2");
        assert!(pages("11-13").unwrap_err().contains("pages 1 to 12"));
        assert!(pages("13-").unwrap_err().contains("pages 1 to 12"));
        assert_eq!(PageRanges::read(" ").unwrap(), None);
        for text in ["0", "a", "3-1", "1,,2", "-3", "1-2-3", "99999999999999999999999"] {
            assert!(PageRanges::read(text).is_err(), "{text}");
        }
        let many = PageRanges::read("1-9223372036854775807").unwrap().unwrap();
        assert!(many.of(usize::MAX).unwrap_err().to_string().contains("20"));
    }
}
