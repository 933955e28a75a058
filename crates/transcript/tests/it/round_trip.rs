//! Any bytes in, the same bytes out.

use annals_transcript::line::lines;

#[test]
fn the_lines_of_a_file_are_the_file() {
    let file = b"{}\n\n\r\n\0\n{\"a\"";
    let again: Vec<u8> = lines(file).flat_map(|line| line.raw().to_vec()).collect();
    assert_eq!(again, file);
}
