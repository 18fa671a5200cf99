"""The filters of LangGraph: a value, or operators such as `{"$gte": 3}`, for each field."""

import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda value, bound: _compared(value, bound, operator.gt),
    "$gte": lambda value, bound: _compared(value, bound, operator.ge),
    "$lt": lambda value, bound: _compared(value, bound, operator.lt),
    "$lte": lambda value, bound: _compared(value, bound, operator.le),
    "$in": lambda value, options: value in options,
    "$nin": lambda value, options: value not in options,
}


def _compared(value: Any, bound: Any, compare: Callable[[Any, Any], bool]) -> bool:
    """As numbers if both can be read as such, then as times, then as texts."""
    for read in (float, _time_of, _text_of):
        try:
            return compare(read(value), read(bound))
        except (TypeError, ValueError):
            continue
    return False


def _time_of(value: str) -> datetime:
    time = datetime.fromisoformat(value)
    return time.replace(tzinfo=time.tzinfo or UTC)


def _text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def passes(value: Any, wanted: Mapping[str, Any]) -> bool:
    return isinstance(value, dict) and all(_is_as_wanted(value.get(name), each) for name, each in wanted.items())


def _is_as_wanted(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(_is_as_wanted, value, wanted))
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if not any(name.startswith("$") for name in wanted):
        return passes(value, wanted)
    if unknown := wanted.keys() - OPERATORS:
        raise ValueError(f"Unsupported operator: {sorted(unknown)[0]}. Use one of: {', '.join(OPERATORS)}.")
    return all(OPERATORS[name](value, bound) for name, bound in wanted.items())
