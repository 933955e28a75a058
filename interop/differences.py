"""The places in which two facts differ, and patterns for places."""
import fnmatch


def differences(want, got, place=""):
    """The places in which two facts differ, each with both values."""
    if isinstance(want, dict) and isinstance(got, dict):
        keys = sorted(set(want) | set(got))
        return [one for key in keys for one in differences(want.get(key), got.get(key), f"{place}.{key}" if place else key)]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [one for at, pair in enumerate(zip(want, got)) for one in differences(*pair, f"{place}[{at}]")]
    return [] if want == got else [(place, want, got)]


def matches(place, pattern):
    """Brackets in a place are not patterns."""
    return fnmatch.fnmatchcase(place.replace("[", "(").replace("]", ")"), pattern.replace("[", "(").replace("]", ")"))
