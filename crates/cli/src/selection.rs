//! The options that `usage` and `stats` share: which items to include, in which time zone.

use annals_transcript::usage::{UsageItem, UsageSource};
use jiff::tz::TimeZone;

use crate::args::SelectionArgs;
use crate::context::Context;
use crate::error::Fault;
use crate::{when, words};

/// Which items to include.
pub(crate) struct Selection {
    /// The time zone of days and hours.
    pub(crate) zone: TimeZone,
    since: Option<i64>,
    until: Option<i64>,
    project: Option<String>,
    model: Option<String>,
}

impl Selection {
    /// Parses the options.
    pub(crate) fn new(args: &SelectionArgs, context: &Context) -> Result<Self, Fault> {
        let zone = match &args.tz {
            Some(name) => TimeZone::get(name).map_err(|_| {
                Fault::usage(format!("unknown time zone {name:?}"))
                    .hint("use a name such as Europe/Berlin or UTC")
            })?,
            None => context.zone.clone(),
        };
        let (since, until) = when::parse_bounds(args.since.as_deref(), args.until.as_deref(), &zone)?;
        Ok(Self {
            since,
            until,
            project: args.project.as_ref().map(|text| text.to_lowercase()),
            model: args.model.as_ref().map(|text| text.to_lowercase()),
            zone,
        })
    }

    /// Whether to include an item. One without a time is outside any days.
    pub(crate) fn keeps(&self, item: &UsageItem, source: Option<&UsageSource>) -> bool {
        self.keeps_time(item.millis())
            && self.keeps_model(item.model.as_deref())
            && source.is_none_or(|source| self.keeps_project(&source.slug, source.project.as_deref()))
    }

    /// Whether to include an instant.
    pub(crate) fn keeps_time(&self, millis: Option<i64>) -> bool {
        self.since.is_none_or(|since| millis.is_some_and(|at| at >= since))
            && self.until.is_none_or(|until| millis.is_some_and(|at| at < until))
    }

    /// Whether to include a project, by its folder or its path.
    pub(crate) fn keeps_project(&self, slug: &str, path: Option<&str>) -> bool {
        self.project.as_ref().is_none_or(|part| {
            slug.to_lowercase().contains(part) || path.is_some_and(|path| path.to_lowercase().contains(part))
        })
    }

    /// Whether to include a model.
    pub(crate) fn keeps_model(&self, model: Option<&str>) -> bool {
        self.model.as_ref().is_none_or(|part| model.is_some_and(|model| model.to_lowercase().contains(part)))
    }

    /// The local time of an instant, as if it were UTC.
    pub(crate) fn local(&self, millis: i64) -> i64 {
        millis + i64::from(words::minutes_from_utc(millis, &self.zone)) * 60_000
    }

    /// The name of the time zone.
    pub(crate) fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("this machine")
    }
}
