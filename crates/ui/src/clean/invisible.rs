//! Characters without a shape of their own: which of them may stay, and where.

/// What becomes of a character that cannot be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvisibleKind {
    /// Joins or separates its neighbors; stays between those that it works on.
    Joiner,
    /// Chooses the form of the character before it; stays after one that has forms.
    Selector,
    /// Takes no room and says nothing; is dropped.
    Blank,
    /// Changes the order of the text, breaks its line or hides another text; is shown by its number.
    Marked,
}

/// Returns what a character is, if it cannot be seen: `Default_Ignorable_Code_Point` of Unicode, separators of lines and
/// paragraphs, annotations and noncharacters.
pub(super) fn invisible_kind(character: char) -> Option<InvisibleKind> {
    Some(match character {
        '\0'..='\u{ac}' => return None,
        '\u{200c}' | '\u{200d}' => InvisibleKind::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            InvisibleKind::Selector
        }
        '\u{ad}' | '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}' => InvisibleKind::Blank,
        '\u{2060}'..='\u{2064}' | '\u{feff}' => InvisibleKind::Blank,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2065}'..='\u{206f}' => {
            InvisibleKind::Marked
        }
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => InvisibleKind::Marked,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => {
            InvisibleKind::Marked
        }
        '\u{fdd0}'..='\u{fdef}' => InvisibleKind::Marked,
        other if u32::from(other) & 0xfffe == 0xfffe => InvisibleKind::Marked,
        _ => return None,
    })
}

/// Returns whether a joiner works on these two: parts of one emoji, or letters of a script that joins them.
pub(super) fn joins(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_emoji = (is_pictograph(before) || before == '\u{fe0f}') && is_pictograph(after);
    is_emoji || (is_joining_script(before) && is_joining_script(after))
}

/// Returns whether a selector chooses a form of the character before it.
pub(super) fn selects(before: Option<char>, selector: char) -> bool {
    let Some(before) = before else { return false };
    match selector {
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => {
            let has_forms = !before.is_ascii() || before.is_ascii_digit() || matches!(before, '#' | '*');
            has_forms && !before.is_whitespace() && invisible_kind(before).is_none()
        }
    }
}

/// Symbols that emoji are made of.
fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}')
        || matches!(character, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}

/// Arabic to Sinhala, Myanmar, Khmer and Mongolian.
fn is_joining_script(character: char) -> bool {
    let is_there =
        matches!(character, '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}');
    is_there && invisible_kind(character).is_none()
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
