//! What a terminal shows: as much of its language as annals speaks. Anything else is a fault of whoever wrote it.

use unicode_width::UnicodeWidthChar;

/// A screen, and the lines that have gone off its top.
#[derive(Debug)]
pub struct Picture {
    gone: Vec<String>,
    rows: Vec<Vec<char>>,
    columns: usize,
    height: usize,
    row: usize,
    column: usize,
    waiting: Vec<u8>,
    /// Sequences that are not known.
    pub strange: Vec<String>,
}

/// Stands behind a wide character.
const TAKEN: char = '\0';

impl Picture {
    /// An empty screen.
    pub fn new(columns: usize, height: usize) -> Self {
        let rows = vec![Vec::new(); height];
        Self {
            gone: Vec::new(),
            rows,
            columns,
            height,
            row: 0,
            column: 0,
            waiting: Vec::new(),
            strange: Vec::new(),
        }
    }

    /// Another size; nothing is broken anew. Lines that no longer fit go off the top.
    pub fn resize(&mut self, columns: usize, height: usize) {
        while self.rows.len() > height && self.row + 1 > height {
            self.gone.push(line(&self.rows.remove(0)));
            self.row -= 1;
        }
        self.rows.resize(height, Vec::new());
        (self.columns, self.height) = (columns, height);
        self.row = self.row.min(height - 1);
    }

    /// All lines, without spaces at their ends.
    pub fn text(&self) -> String {
        let shown = self.rows.iter().map(|row| line(row));
        self.gone.iter().cloned().chain(shown).collect::<Vec<_>>().join("\n")
    }

    /// Takes what a program wrote.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        loop {
            let taken = self.step();
            if taken == 0 {
                return;
            }
            self.waiting.drain(..taken);
        }
    }

    /// Takes one thing, and says how many bytes it had; 0 where more must come.
    fn step(&mut self) -> usize {
        let Some(&first) = self.waiting.first() else { return 0 };
        match first {
            0x1b => self.sequence(),
            b'\n' => {
                self.down();
                1
            }
            b'\r' => {
                self.column = 0;
                1
            }
            0..=0x1f | 0x7f => {
                self.strange.push(format!("{first:#x}"));
                1
            }
            _ => {
                let length = match first {
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf7 => 4,
                    _ => 1,
                };
                let Some(bytes) = self.waiting.get(..length) else { return 0 };
                let letter = std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next());
                self.put(letter.unwrap_or('\u{fffd}'));
                length
            }
        }
    }

    fn sequence(&mut self) -> usize {
        match self.waiting.get(1) {
            None => 0,
            Some(b'[') => {
                let end = self.waiting[2..].iter().position(|byte| (0x40..=0x7e).contains(byte));
                let Some(end) = end else { return 0 };
                let whole = String::from_utf8_lossy(&self.waiting[2..end + 3]).into_owned();
                self.obey(&whole);
                end + 3
            }
            Some(other) => {
                self.strange.push(format!("ESC {other:#x}"));
                2
            }
        }
    }

    fn obey(&mut self, sequence: &str) {
        let (last, parameters) = (sequence.chars().next_back(), &sequence[..sequence.len() - 1]);
        let count = parameters.parse::<usize>().unwrap_or(1).max(1);
        match last {
            Some('A') => self.row = self.row.saturating_sub(count),
            Some('G') => self.column = (count - 1).min(self.columns - 1),
            Some('H') if parameters.is_empty() => (self.row, self.column) = (0, 0),
            Some('J') if parameters.is_empty() => {
                self.rows[self.row].truncate(self.column);
                self.rows[self.row + 1..].iter_mut().for_each(Vec::clear);
            }
            Some('J') if parameters == "2" => self.rows.iter_mut().for_each(Vec::clear),
            Some('m') => {}
            Some('h' | 'l') if parameters == "?2004" => {}
            _ => self.strange.push(sequence.to_owned()),
        }
    }

    fn down(&mut self) {
        if self.row + 1 < self.height {
            self.row += 1;
        } else {
            let first = self.rows.remove(0);
            self.gone.push(line(&first));
            self.rows.push(Vec::new());
        }
    }

    fn put(&mut self, letter: char) {
        let wide = letter.width().unwrap_or(0);
        if wide == 0 {
            return;
        }
        if self.column + wide > self.columns {
            self.down();
            self.column = 0;
        }
        let row = &mut self.rows[self.row];
        while row.len() < self.column + wide {
            row.push(' ');
        }
        row[self.column] = letter;
        row[self.column + 1..self.column + wide].fill(TAKEN);
        self.column += wide;
    }
}

fn line(row: &[char]) -> String {
    let text: String = row.iter().filter(|letter| **letter != TAKEN).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_what_was_written() {
        let mut picture = Picture::new(6, 3);
        picture.feed("ab\r\ncd日\x1b[1A\x1b[2GX\x1b[31mred\x1b[0m".as_bytes());
        assert_eq!(picture.text(), "aXred\ncd日\n");
        picture.feed(b"\r\x1b[Jlong line\r\n1\r\n2\r\n");
        assert_eq!(picture.text(), "long l\nine\n1\n2\n");
        picture.feed(b"\x1b]0;x\x07\x1b[5n");
        assert_eq!(picture.strange.len(), 3, "{:?}", picture.strange);
    }
}
