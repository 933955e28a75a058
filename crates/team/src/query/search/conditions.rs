//! A query as conditions on `messages`.

use annals_index::search::{Filter, Query, Term};
use annals_index::{MessageKind, MessageRole};

use crate::rows::class;
use crate::wire::Parameter;

/// Conditions and their values.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    pub(super) wheres: Vec<String>,
    pub(super) parameters: Vec<(String, Parameter)>,
}

/// The calls of a tool or of a file, as the rows that belong to them name them.
const CALLS: &str = "(machine, store, file, call) IN (SELECT machine, store, file, call FROM {db}.calls
    WHERE tenant = {tenant:String} AND half = 'call' AND ";

impl Conditions {
    /// The conditions of a query; `None` if nothing can match.
    pub(super) fn of(query: &Query) -> Option<Self> {
        let mut found = Self::default();
        let groups = query.all.iter().map(|terms| found.any(terms)).collect::<Vec<_>>();
        let words: Vec<String> = groups.into_iter().flatten().collect();
        if !query.all.is_empty() && words.is_empty() {
            return None;
        }
        found.wheres.extend(words);
        for term in &query.none {
            if let Some(condition) = found.term(term) {
                found.wheres.push(format!("NOT {condition}"));
            }
        }
        let wanted = query.filters.iter().map(|filter| (filter, 1));
        for (filter, wanted) in wanted.chain(query.excluded.iter().map(|filter| (filter, 0))) {
            let condition = found.filter(filter);
            found.wheres.push(format!("ifNull(({condition}), 0) = {wanted}"));
        }
        Some(found)
    }

    /// A new value; returns its name.
    fn value(&mut self, value: Parameter, kind: &str) -> String {
        let name = format!("q{}", self.parameters.len());
        self.parameters.push((name.clone(), value));
        format!("{{{name}:{kind}}}")
    }

    fn text(&mut self, text: &str) -> String {
        self.value(Parameter::text(text), "String")
    }

    fn any(&mut self, terms: &[Term]) -> Option<String> {
        let terms: Vec<String> = terms.iter().filter_map(|term| self.term(term)).collect();
        (!terms.is_empty()).then(|| format!("({})", terms.join(" OR ")))
    }

    /// A word, a phrase, or one whose last word is a prefix; `None` if it has no words.
    fn term(&mut self, term: &Term) -> Option<String> {
        let phrases: Vec<String> =
            term.alternatives().iter().map(|words| self.phrase(words, term.is_prefix)).collect();
        (!phrases.is_empty()).then(|| format!("({})", phrases.join(" OR ")))
    }

    fn phrase(&mut self, words: &[String], is_prefix: bool) -> String {
        let whole = if is_prefix { &words[..words.len() - 1] } else { words };
        let mut conditions = Vec::new();
        if !whole.is_empty() {
            // The index answers this; the order of words is then looked at in few texts.
            let list = self.value(Parameter::Texts(whole.to_vec()), "Array(String)");
            conditions.push(format!("hasAllTokens(words, {list})"));
        }
        if is_prefix || words.len() > 1 {
            let end = if is_prefix { "" } else { " " };
            let text = self.text(&format!(" {}{end}", words.join(" ")));
            conditions.push(format!("position(words, {text}) > 0"));
        }
        format!("({})", conditions.join(" AND "))
    }

    fn filter(&mut self, filter: &Filter) -> String {
        match filter {
            Filter::MessageRole(role) => format!("role = {}", self.text(MessageRole::name(*role))),
            Filter::Kinds(kinds) => {
                let names = kinds.iter().map(|kind| kind.name().to_owned()).collect();
                format!("kind IN {}", self.value(Parameter::Texts(names), "Array(String)"))
            }
            Filter::Tool(tool) => {
                let tool = self.text(tool);
                let is_named = format!("lower(tool) = lower({tool})");
                format!(
                    "(call = '' AND {is_named}) OR (call != '' AND {CALLS}{is_named})) OR (file_role = 'output'
                        AND (machine, store, session, splitByChar('/', file)[-1]) IN (
                            SELECT machine, store, session, splitByChar('\\t', value)[1] FROM {{db}}.facts
                            WHERE tenant = {{tenant:String}} AND kind = 'output'
                                AND (machine, store, file, splitByChar('\\t', value)[2]) IN (
                                    SELECT machine, store, file, call FROM {{db}}.calls
                                    WHERE tenant = {{tenant:String}} AND half = 'call' AND {is_named})))"
                )
            }
            Filter::Project(project) => {
                let slug = self.text(&project.replace(['/', '.', '_'], "-"));
                let path = self.text(project);
                let has_slug = format!("position(lower(project), lower({slug})) > 0");
                format!(
                    "if(file_role = 'agent' AND session != '', (machine, store, session) IN (
                        SELECT machine, store, session FROM {{db}}.files
                        WHERE tenant = {{tenant:String}} AND role = 'session' AND {has_slug}), {has_slug})
                     OR (machine, store, file, generation) IN (SELECT machine, store, file, generation FROM {{db}}.lines
                        WHERE tenant = {{tenant:String}} AND position(lower(cwd), lower({path})) > 0)"
                )
            }
            Filter::Session(session) => {
                format!("file_role != 'history' AND startsWith(session, {})", self.text(session))
            }
            Filter::File(path) => format!("call != '' AND {CALLS}position(path, {}) > 0)", self.text(path)),
            Filter::Before(millis) => {
                format!("millis < {}", self.value(Parameter::Integer(*millis), "Int64"))
            }
            Filter::After(millis) => {
                format!("millis >= {}", self.value(Parameter::Integer(*millis), "Int64"))
            }
            Filter::Error(is_error) => format!("is_error = {}", u8::from(*is_error)),
        }
    }
}

/// The classes that can contain hits; without words, all at once.
pub(super) fn classes(query: &Query) -> Vec<Option<&'static str>> {
    if query.all.is_empty() {
        return vec![None];
    }
    let mut classes = Vec::new();
    for &kind in MessageKind::ALL {
        let is_wanted = |filter: &Filter| match filter {
            Filter::Kinds(kinds) => kinds.contains(&kind),
            _ => true,
        };
        if query.filters.iter().all(is_wanted) && !classes.contains(&Some(class(kind))) {
            classes.push(Some(class(kind)));
        }
    }
    classes
}
