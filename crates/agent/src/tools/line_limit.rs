//! Keeps tool results within the length of a session line that clients still open.

use annals_transcript::objects::MAX_LINE_BYTES;

/// What the rest of a line may take: its envelope, and the text for the model.
const REST_OF_A_LINE: usize = 64 << 10;

/// The first of these forms that fits into a line, the most detailed first; the last one if none fits.
pub(super) fn first_fitting(forms: &[&dyn Fn() -> Vec<u8>]) -> Vec<u8> {
    let mut made = Vec::new();
    for form in forms {
        made = form();
        if made.len() + REST_OF_A_LINE <= MAX_LINE_BYTES {
            break;
        }
    }
    made
}
