//! The output style that settings name: a file, or one that needs none.

use annals_agent::context::OutputStyle;
use annals_policy::screen::visible;

use super::setup::Setup;
use crate::context::Context;

/// The name of no style.
pub(super) const DEFAULT: &str = "default";

/// Returns all styles: built-in ones, the user's own, and those of a trusted folder; of two with one name the later one wins.
/// Files that cannot be used are reported.
fn all(setup: &Setup, context: &Context) -> Vec<OutputStyle> {
    let own = context.store.config_dir().path().join("output-styles");
    let project = setup.is_trusted().then(|| setup.cwd.join(".claude").join("output-styles"));
    let mut styles = OutputStyle::built_in();
    let project = project.map(|folder| (folder, Some(setup.cwd.as_path())));
    for (folder, within) in [Some((own, None)), project].into_iter().flatten() {
        let (read, skipped) = OutputStyle::read_folder(&folder, within);
        skipped.iter().for_each(|skipped| context.say(visible(&skipped.to_string())));
        for style in read {
            styles.retain(|known| known.name != style.name);
            styles.push(style);
        }
    }
    styles
}

/// Returns the style that settings name. One that does not exist is reported.
pub(super) fn chosen(setup: &Setup, context: &Context) -> Option<OutputStyle> {
    let name = setup.effective.output_style.as_deref();
    let name = name.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(DEFAULT))?;
    let found = all(setup, context).into_iter().find(|style| style.name == name);
    if found.is_none() {
        context.say(visible(&format!("the output style {name:?} does not exist: none is used")));
    }
    found
}
