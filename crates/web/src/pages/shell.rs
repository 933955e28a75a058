//! What surrounds every page: head, navigation, search, help.

use maud::{DOCTYPE, Markup, html};

use crate::assets::{SCRIPT, STYLE};
use crate::library::Library;
use crate::theme::Theme;

/// The part of the site that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Sessions,
    Search,
    Files,
    Usage,
    Check,
    None,
}

const LINKS: [(Section, &str, &str); 5] = [
    (Section::Sessions, "/", "Sessions"),
    (Section::Search, "/search", "Search"),
    (Section::Files, "/files", "Files"),
    (Section::Usage, "/usage", "Usage"),
    (Section::Check, "/check", "Check"),
];

/// What only stores on this machine have.
const LOCAL: [Section; 2] = [Section::Files, Section::Check];

const KEYS: [(&str, &str); 11] = [
    ("j k", "next, previous message"),
    ("n p", "next, previous prompt"),
    ("g G", "begin, end"),
    ("/", "search"),
    ("o", "open or fold"),
    ("e", "open or fold all"),
    ("r", "raw record"),
    ("f", "fork here"),
    ("d", "diffs unified or side by side"),
    ("t", "light, dark, or as the system"),
    ("?", "this help"),
];

/// A whole page.
pub(crate) fn shell(library: &Library, title: &str, section: Section, body: &Markup) -> Markup {
    html! { (open(library, title, section)) (body) (close()) }
}

/// Everything before the body, so that a browser can begin while the rest is still read.
pub(crate) fn open(library: &Library, title: &str, section: Section) -> Markup {
    let head = html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " · annals" }
        link rel="stylesheet" href=(STYLE.path);
        link rel="icon" href="data:,";
        script type="module" src=(SCRIPT.path) {}
    };
    let top = html! {
        a class="skip" href="#main" { "Skip to content" }
        header class="top" {
            a class="home" href="/" { "annals" }
            nav aria-label="Pages" {
                @for (of, path, name) in LINKS.into_iter().filter(|(of, ..)| library.is_local() || !LOCAL.contains(of)) {
                    a href=(path) aria-current=[(of == section).then_some("page")] { (name) }
                }
            }
            form class="find" action="/search" role="search" aria-label="All sessions" {
                input id="find" type="search" name="q" placeholder="Search all sessions" aria-label="Search all sessions" autocomplete="off";
            }
            button id="theme" type="button" title="Light, dark, or as the system (t)" { "Theme" }
            button id="help" type="button" title="Keys (?)" aria-label="Keys" { "?" }
        }
    };
    let theme = match library.theme {
        Theme::System => "",
        Theme::Light => " data-theme=\"light\"",
        Theme::Dark => " data-theme=\"dark\"",
    };
    let start = maud::PreEscaped(format!("{}<html lang=\"en\"{theme}><head>", DOCTYPE.into_string()));
    html! {
        (start) (head) (maud::PreEscaped("</head><body>")) (top)
        (maud::PreEscaped("<main id=\"main\" tabindex=\"-1\">"))
    }
}

/// The button that shows diffs side by side; narrow pages have none, and show them unified.
pub(crate) fn side_by_side() -> Markup {
    html! { button id="side" type="button" aria-pressed="false" title="Diffs side by side (d)" { "Side by side" } }
}

/// Everything after it.
pub(crate) fn close() -> Markup {
    let keys = html! {
        dialog id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            dl { @for (key, meaning) in KEYS { dt { kbd { (key) } } dd { (meaning) } } }
            form method="dialog" { button { "Close" } }
        }
        dialog id="raw" aria-labelledby="raw-title" {
            h2 id="raw-title" { "Record" }
            div id="raw-body" {}
            form method="dialog" { button { "Close" } }
        }
        p id="said" role="status" aria-live="polite" {}
    };
    html! { (maud::PreEscaped("</main>")) (keys) (maud::PreEscaped("</body></html>")) }
}
