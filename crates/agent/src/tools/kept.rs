//! What a session keeps of a change to a file, within the length of a line that clients still open.

use annals_transcript::objects::OVERSIZE;

/// What else stands in a line: its envelope, and what the model is told.
const REST_OF_A_LINE: usize = 64 << 10;

/// The first of these forms, most telling first, that a line can hold; the last one where none can.
pub(super) fn fitting(forms: &[&dyn Fn() -> Vec<u8>]) -> Vec<u8> {
    let mut made = Vec::new();
    for form in forms {
        made = form();
        if made.len() + REST_OF_A_LINE <= OVERSIZE {
            break;
        }
    }
    made
}
