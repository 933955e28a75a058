//! Parses price files: returns prices and problems, so that one bad entry costs one model.

use std::collections::BTreeMap;
use std::fmt;

use super::Prices;
use super::rates::{ListedRates, LongContext, ModelPrices, Rates};
use super::usd::Usd;
use annals_json::{Fields, Value};

/// Prices in the file are per this many tokens.
const PER_TOKENS: f64 = 1e6;

/// The default price of a web search: the published price for all models, $10 per 1,000.
const WEB_SEARCH: f64 = 0.01;

/// A problem of a price file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriceProblem {
    /// What is wrong with the entry.
    pub kind: PriceProblemKind,
    /// The model, and the key if it concerns one.
    pub place: String,
}

/// The kinds of problems of a price file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PriceProblemKind {
    /// It is not JSON, or not an object with `models`.
    NotPrices,
    /// The model has no price of input or output, and is left out.
    Incomplete,
    /// Not a number of dollars; treated as absent.
    NotAPrice,
    /// An unknown key, such as a misspelled one.
    UnknownKey,
}

impl fmt::Display for PriceProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            PriceProblemKind::NotPrices => "not a price file: a JSON object with `models` is expected",
            PriceProblemKind::Incomplete => "ignored: `input` and `output` are required",
            PriceProblemKind::NotAPrice => "not a price: use dollars, not negative",
            PriceProblemKind::UnknownKey => "unknown key",
        };
        write!(formatter, "{}: {what}", self.place)
    }
}

impl Prices {
    /// Parses a price file. Invalid entries become problems; the rest is used.
    pub fn parse(text: &[u8]) -> (Self, Vec<PriceProblem>) {
        let mut reader = PriceReader::default();
        let whole = Value::parse(text).ok().and_then(Value::fields);
        let Some((whole, models)) =
            whole.and_then(|whole| whole.object("models").map(|models| (whole, models)))
        else {
            let place = match Value::parse(text) {
                Err(fault) => format!("byte {}", fault.at),
                Ok(_) => "models".to_owned(),
            };
            return (Self::default(), vec![PriceProblem { kind: PriceProblemKind::NotPrices, place }]);
        };
        let mut prices = BTreeMap::new();
        for field in models.iter() {
            let name = field.key.decode().into_owned();
            match field.value.fields().and_then(|fields| reader.model(&name, &fields)) {
                Some(model) => {
                    prices.insert(name, model);
                }
                None => reader.report(PriceProblemKind::Incomplete, &name),
            }
        }
        let as_of = whole.text("as_of").map(|text| text.decode().into_owned()).unwrap_or_default();
        (Self { as_of, models: prices }, reader.problems)
    }
}

#[derive(Default)]
struct PriceReader {
    problems: Vec<PriceProblem>,
}

impl PriceReader {
    fn report(&mut self, kind: PriceProblemKind, place: &str) {
        self.problems.push(PriceProblem { kind, place: place.to_owned() });
    }

    fn model(&mut self, name: &str, fields: &Fields<'_>) -> Option<ModelPrices> {
        let keys = ["batch", "web_search", "above", "fast_multiplier"];
        let listed = self.listed(name, fields, &keys);
        if listed.input.is_none() || listed.output.is_none() {
            return None;
        }
        let standard = listed.complete(&Rates::default());
        let batch = self.batch(name, fields).complete_batch(&standard);
        let mut long_context: Vec<_> = fields
            .get("above")
            .into_iter()
            .flat_map(Value::items)
            .filter_map(Value::fields)
            .filter_map(|fields| self.long_context(&format!("{name}.above"), &fields, &standard))
            .collect();
        long_context.sort_by_key(|long| long.above);
        let web_search = self.number(name, fields, "web_search").unwrap_or(WEB_SEARCH);
        let fast_multiplier = self.number(name, fields, "fast_multiplier");
        Some(ModelPrices {
            standard,
            batch,
            long_context,
            web_search: Usd::from_dollars(web_search),
            fast_multiplier,
        })
    }

    fn long_context(&mut self, place: &str, fields: &Fields<'_>, usual: &Rates) -> Option<LongContext> {
        let standard = self.listed(place, fields, &["tokens", "batch"]).complete(usual);
        let batch = self.batch(place, fields).complete_batch(&standard);
        let Some(above) = fields.count("tokens") else {
            self.report(PriceProblemKind::NotAPrice, &format!("{place}.tokens"));
            return None;
        };
        Some(LongContext { above, standard, batch })
    }

    fn batch(&mut self, place: &str, fields: &Fields<'_>) -> ListedRates {
        let batch = fields.object("batch");
        batch.map_or_else(ListedRates::default, |batch| self.listed(&format!("{place}.batch"), &batch, &[]))
    }

    /// The five token classes; `others` are the other allowed keys.
    fn listed(&mut self, place: &str, fields: &Fields<'_>, others: &[&str]) -> ListedRates {
        let classes = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"];
        for key in fields.iter().map(|field| field.key.decode()) {
            if !classes.contains(&key.as_ref()) && !others.contains(&key.as_ref()) {
                self.report(PriceProblemKind::UnknownKey, &format!("{place}.{key}"));
            }
        }
        let [input, output, cache_read, cache_write_5m, cache_write_1h] = classes
            .map(|key| self.number(place, fields, key).map(|price| Usd::from_dollars(price / PER_TOKENS)));
        ListedRates { input, output, cache_read, cache_write_5m, cache_write_1h }
    }

    fn number(&mut self, place: &str, fields: &Fields<'_>, key: &str) -> Option<f64> {
        let value = fields.get(key)?;
        let number = value.number().filter(|number| *number >= 0.0 && number.is_finite());
        if number.is_none() {
            self.report(PriceProblemKind::NotAPrice, &format!("{place}.{key}"));
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_project_is_whole() {
        let (prices, problems) = Prices::parse(include_bytes!("prices.json"));
        assert_eq!(problems, []);
        assert_eq!(prices.as_of(), "2026-11");
        assert_eq!(prices.models().count(), 38);
        let derived: Vec<_> =
            prices.models().filter(|(_, model)| model.is_derived()).map(|(name, _)| name).collect();
        assert_eq!(derived, ["claude-4-opus-20250514", "claude-4-sonnet-20250514"]);
    }

    #[test]
    fn one_bad_entry_costs_one_model() {
        let file = br#"{"as_of":"x","models":{"a":{"input":1,"output":2,"ouput":3},"b":{"input":1},"c":7,
            "d":{"input":1,"output":2,"cache_read":"free","above":[{"input":3},{"tokens":5,"input":3}]}}}"#;
        let (prices, problems) = Prices::parse(file);
        assert_eq!(prices.models().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "d"]);
        let said: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "a.ouput: unknown key",
                "b: ignored: `input` and `output` are required",
                "c: ignored: `input` and `output` are required",
                "d.cache_read: not a price: use dollars, not negative",
                "d.above.tokens: not a price: use dollars, not negative",
            ]
        );
    }

    #[test]
    fn what_is_no_price_file_says_so() {
        for (file, place) in [("", "byte 0"), ("{\"models\":", "byte 10"), ("[]", "models"), ("{}", "models")]
        {
            let (prices, problems) = Prices::parse(file.as_bytes());
            assert_eq!(prices.models().count(), 0);
            assert_eq!(
                problems,
                [PriceProblem { kind: PriceProblemKind::NotPrices, place: place.to_owned() }]
            );
        }
    }
}
