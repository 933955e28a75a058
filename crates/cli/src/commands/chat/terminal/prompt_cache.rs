//! How well the prompt cache of the API has worked for a conversation, in the numbers that the original gives its status line.
//!
//! They are documented nowhere; the rules are those that 2.1.325 was seen to follow.

use annals_json::ObjectWriter;
use annals_transcript::usage::Tokens;

/// A request that reads this much less than it could have is a miss…
const MIN_MISSED: u64 = 2_000;
/// …if that is also more than this part of what it could have read.
const MISSED_PART: u64 = 20;

/// How long the API keeps what a request has cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ttl {
    #[default]
    FiveMinutes,
    Hour,
}

impl Ttl {
    const fn seconds(self) -> i64 {
        match self {
            Self::FiveMinutes => 300,
            Self::Hour => 3600,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5m",
            Self::Hour => "1h",
        }
    }
}

/// A request, and what it says of the cache.
#[derive(Clone, Debug)]
struct CachedRequest {
    /// When it was answered, in seconds since 1970.
    at: i64,
    model: String,
    effort: Option<&'static str>,
    /// Its tokens with and without the cache.
    total: u64,
    read: u64,
    is_cached: bool,
}

/// What was counted since a session was opened.
#[derive(Clone, Debug, Default)]
pub(super) struct PromptCache {
    requests: u64,
    total: u64,
    read: u64,
    written: u64,
    ttl: Ttl,
    last: Option<CachedRequest>,
    /// The conversation was compacted since the last request.
    was_compacted: bool,
    misses: u64,
    expected_rebuilds: u64,
    /// The tokens that misses have written again.
    rewritten: u64,
    last_miss: Option<(i64, Vec<&'static str>)>,
    causes: Vec<(&'static str, u64)>,
}

impl PromptCache {
    /// Counts the answer to a request of the conversation.
    pub(super) fn add(&mut self, tokens: &Tokens, model: &str, effort: Option<&'static str>, now: i64) {
        let (read, written) = (tokens.cache_read, tokens.cache_write_5m + tokens.cache_write_1h);
        let request = CachedRequest {
            at: now,
            model: model.to_owned(),
            effort,
            total: tokens.input + read + written,
            read,
            is_cached: read > 0 || written > 0,
        };
        if tokens.cache_write_1h > 0 {
            self.ttl = Ttl::Hour;
        } else if written > 0 {
            self.ttl = Ttl::FiveMinutes;
        }
        self.requests += 1;
        self.total += request.total;
        self.read += read;
        self.written += written;
        let was_compacted = std::mem::take(&mut self.was_compacted);
        if let Some(last) = self.last.take()
            && is_missed(last.total.min(request.total), read)
        {
            if was_compacted {
                self.expected_rebuilds += 1;
            } else {
                self.rewritten += written;
                self.miss(&last, &request);
            }
        }
        self.last = Some(request);
    }

    fn miss(&mut self, last: &CachedRequest, request: &CachedRequest) {
        self.misses += 1;
        let mut causes = Vec::new();
        // What was not read before was not lost.
        if is_missed(last.read, request.read) {
            if last.model != request.model {
                causes.push("model_changed");
            }
            if last.effort != request.effort {
                causes.push("effort_changed");
            }
            if causes.is_empty() {
                // By the pause alone, whichever time the API was asked for.
                causes.push(match request.at - last.at {
                    3601.. => "ttl_expired_1h",
                    301.. => "ttl_expired_5m",
                    _ => "likely_server_side",
                });
            }
        }
        for cause in &causes {
            match self.causes.iter_mut().find(|(known, _)| known == cause) {
                Some((_, count)) => *count += 1,
                None => self.causes.push((cause, 1)),
            }
        }
        self.last_miss = Some((request.at, causes));
    }

    /// Counts a request that reads the conversation to sum it up: what is cached lives on.
    pub(super) fn renew(&mut self, now: i64) {
        if let Some(last) = &mut self.last {
            last.at = now;
        }
    }

    /// What the next request sends is another conversation.
    pub(super) fn compacted(&mut self) {
        self.was_compacted = true;
    }

    /// Writes `prompt_cache`; nothing before the first answer.
    pub(super) fn write(&self, object: &mut ObjectWriter<'_>, now: i64) {
        let Some(last) = &self.last else { return };
        let expires = last.is_cached.then(|| last.at + self.ttl.seconds());
        object.object("prompt_cache", |cache| {
            cache.boolean("warm", expires.is_some_and(|expires| now < expires));
            cache.boolean("caching_observed", self.read > 0 || self.written > 0);
            cache.string("ttl", self.ttl.name());
            number_or_null(cache, "expires_at", expires);
            cache.number("requests", self.requests).number("misses", self.misses);
            cache.number("expected_rebuilds", self.expected_rebuilds);
            cache.float("hit_ratio", ratio(self.read, self.total));
            cache.number("cache_write_tokens", self.written);
            cache.number("miss_recache_tokens", self.rewritten);
            number_or_null(cache, "last_miss_at", self.last_miss.as_ref().map(|(at, _)| *at));
            match &self.last_miss {
                Some((_, causes)) if !causes.is_empty() => cache.object("last_miss_cause", |last| {
                    last.array("causes", |list| {
                        causes.iter().for_each(|cause| {
                            list.string(cause);
                        });
                    });
                }),
                _ => cache.raw("last_miss_cause", b"null"),
            };
            cache.object("miss_causes", |object| {
                self.causes.iter().for_each(|(cause, count)| {
                    object.number(cause, *count);
                });
            });
            let total = i64::try_from(last.total).ok().filter(|_| !self.was_compacted);
            number_or_null(cache, "recache_tokens_if_cold", total);
        });
    }
}

/// Whether much of what could be read from the cache was not.
fn is_missed(expected: u64, read: u64) -> bool {
    let missed = expected.saturating_sub(read);
    missed >= MIN_MISSED && missed > expected / MISSED_PART
}

#[expect(clippy::cast_precision_loss, reason = "tokens of one session")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn number_or_null(object: &mut ObjectWriter<'_>, key: &str, number: Option<i64>) {
    match number {
        Some(number) => object.number(key, number),
        None => object.raw(key, b"null"),
    };
}

#[cfg(test)]
mod tests {
    use annals_json::object;

    use super::*;

    fn shown(cache: &PromptCache, now: i64) -> String {
        let json = object(|object| cache.write(object, now));
        String::from_utf8(json).unwrap()
    }

    /// Input, and tokens written to and read from the cache.
    fn tokens([input, cache_write_5m, cache_read]: [u64; 3]) -> Tokens {
        Tokens { input, cache_write_5m, cache_read, ..Tokens::default() }
    }

    fn of(requests: &[[u64; 3]]) -> PromptCache {
        let mut cache = PromptCache::default();
        requests.iter().for_each(|request| cache.add(&tokens(*request), "m", None, 1000));
        cache
    }

    #[test]
    fn the_form_is_that_of_the_original() {
        assert_eq!(shown(&PromptCache::default(), 0), "{}");
        assert_eq!(
            shown(&of(&[[10, 0, 0]]), 1000),
            r#"{"prompt_cache":{"warm":false,"caching_observed":false,"ttl":"5m","expires_at":null,"requests":1,"misses":0,"expected_rebuilds":0,"hit_ratio":0,"cache_write_tokens":0,"miss_recache_tokens":0,"last_miss_at":null,"last_miss_cause":null,"miss_causes":{},"recache_tokens_if_cold":10}}"#
        );
        assert_eq!(
            shown(&of(&[[10, 20_000, 0], [10, 500, 20_000], [10, 20_600, 0], [10, 300, 20_600]]), 1299),
            r#"{"prompt_cache":{"warm":true,"caching_observed":true,"ttl":"5m","expires_at":1300,"requests":4,"misses":1,"expected_rebuilds":0,"hit_ratio":0.4948805460750853,"cache_write_tokens":41400,"miss_recache_tokens":20600,"last_miss_at":1000,"last_miss_cause":{"causes":["likely_server_side"]},"miss_causes":{"likely_server_side":1},"recache_tokens_if_cold":20910}}"#
        );
        let cache = of(&[[10, 20_000, 0], [10, 0, 0]]);
        assert!(
            shown(&cache, 1000)
                .contains(r#""warm":false,"caching_observed":true,"ttl":"5m","expires_at":null"#)
        );
        assert!(shown(&of(&[[10, 20_000, 0]]), 1300).contains(r#""warm":false"#));
    }

    /// Misses, tokens written again and how often a cause was named, as 2.1.325 counted them.
    #[test]
    fn misses_are_counted_as_by_the_original() {
        let half_read = [[10, 20_000, 0], [10, 500, 20_000], [10_000, 500, 10_000], [10, 10_500, 10_000]];
        let little =
            [[10, 50_000, 0], [10, 500, 50_000], [10, 3_000, 47_600], [10, 100, 50_600], [10, 2_500, 48_200]];
        let smaller = [[10, 20_000, 0], [10, 500, 20_000], [10, 5_000, 10_000], [10, 1_500, 11_000]];
        let nothing = [[10, 20_000, 0], [10, 0, 0], [10, 20_600, 0]];
        let cases: [(&[[u64; 3]], u64, u64, u64); 7] = [
            (&[[10, 20_000, 0], [10, 20_600, 0]], 1, 20_600, 0),
            (&[[10, 20_000, 0], [10, 500, 20_000], [10, 2_400, 18_100]], 1, 2_400, 0),
            (&[[10, 100, 20_500], [10, 2_700, 17_900], [10, 50, 20_600], [10, 1_500, 19_100]], 1, 2_700, 1),
            (&half_read, 2, 11_000, 1),
            (&little, 1, 3_000, 0),
            (&smaller, 1, 5_000, 1),
            (&nothing, 0, 0, 0),
        ];
        for (requests, misses, rewritten, causes) in cases {
            let cache = of(requests);
            let named = cache.causes.iter().map(|(_, count)| count).sum::<u64>();
            assert_eq!((cache.misses, cache.rewritten, named), (misses, rewritten, causes), "{requests:?}");
        }
    }

    #[test]
    fn a_cause_is_named() {
        let first = tokens([10, 500, 20_000]);
        let missed = tokens([10, 20_600, 0]);
        let cause = |model, effort, later, is_hour: bool| {
            let mut cache = PromptCache::default();
            let hour = Tokens { cache_write_1h: 500, cache_write_5m: 0, ..first };
            cache.add(if is_hour { &hour } else { &first }, "a", Some("low"), 0);
            let hour = Tokens { cache_write_1h: 20_600, cache_write_5m: 0, ..missed };
            cache.add(if is_hour { &hour } else { &missed }, model, Some(effort), later);
            cache.last_miss.unwrap().1
        };
        assert_eq!(cause("a", "low", 299, false), ["likely_server_side"]);
        assert_eq!(cause("b", "low", 9, false), ["model_changed"]);
        assert_eq!(cause("b", "high", 9, false), ["model_changed", "effort_changed"]);
        assert_eq!(cause("a", "low", 310, false), ["ttl_expired_5m"]);
        assert_eq!(cause("a", "low", 310, true), ["ttl_expired_5m"]);
        assert_eq!(cause("a", "low", 3700, true), ["ttl_expired_1h"]);
    }

    #[test]
    fn after_a_compaction_nothing_is_missed() {
        let mut cache = of(&[[10, 20_000, 0], [10, 500, 20_000]]);
        cache.renew(1100);
        cache.compacted();
        let told = shown(&cache, 1100);
        assert!(told.contains(r#""expires_at":1400"#), "{told}");
        assert!(told.contains(r#""recache_tokens_if_cold":null"#), "{told}");
        cache.add(&tokens([10, 9_000, 0]), "m", None, 1100);
        assert_eq!((cache.misses, cache.expected_rebuilds), (0, 1));
        cache.add(&tokens([10, 9_100, 0]), "m", None, 1100);
        assert_eq!((cache.misses, cache.expected_rebuilds), (1, 1));
    }
}
