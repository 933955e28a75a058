//! Rows that are left of the tables for somebody who may only read what some machines have sent.

use super::parameter::escaped;
use crate::schema::ITEM_TABLES;

/// The value of the engine's setting `additional_table_filters`, which holds in every part of a question.
pub(super) fn filters(database: &str, machines: &[String]) -> String {
    let names: Vec<String> = machines.iter().map(|machine| format!("'{}'", escaped(machine))).collect();
    let condition = match names.is_empty() {
        true => "0".to_owned(),
        false => format!("machine IN ({})", names.join(",")),
    };
    let tables = ITEM_TABLES.into_iter().chain(["machines"]);
    // Over shards, each server reads a table of its own.
    let names = tables.flat_map(|table| [table.to_owned(), format!("{table}_local")]);
    let filters = names.map(|table| format!("'{database}.{table}':'{}'", escaped(&condition)));
    format!("{{{}}}", filters.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_cannot_open_more_by_its_name() {
        let of = |machines: &[&str]| {
            let machines: Vec<String> = machines.iter().map(|machine| (*machine).to_owned()).collect();
            filters("t", &machines)
        };
        assert!(of(&[]).starts_with("{'t.lines':'0',"));
        assert!(of(&["a"]).starts_with(r"{'t.lines':'machine IN (\'a\')',"));
        assert!(of(&["') OR (1"]).starts_with(r"{'t.lines':'machine IN (\'\\\') OR (1\')',"));
        assert_eq!(of(&["a"]).matches("machine IN").count(), 2 * (ITEM_TABLES.len() + 1));
    }
}
