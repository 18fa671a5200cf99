"""Values of Python as JSON has them: the one place where arguments are converted."""

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from typing import Any, NamedTuple, Self
from uuid import UUID

# In what is written, a None in one of these is left out.
WITHOUT_NONE = {"memories", "connections", "metadata"}


class Place(NamedTuple):
    """Where a value is. What is free is the caller's own, where a date is a day."""

    names: tuple[str, ...] = ()
    writes: bool = False
    free: bool = True

    def inside(self, name: str) -> Self:
        return self._replace(names=(*self.names, name), free=self.free or name == "metadata")

    def leaves_out_none(self) -> bool:
        return self.writes and self.names[-1] in WITHOUT_NONE and "filters" not in self.names

    def __str__(self) -> str:
        return f"`{'.'.join(self.names)}`" if self.names else "The value"


FREE = Place()


def as_fields(fields: Mapping[str, Any], *, writes: bool) -> dict[str, Any]:
    """The arguments of a call. None is not given; a last underscore is not sent."""
    given = {name.removesuffix("_"): value for name, value in fields.items() if value is not None}
    place = Place(writes=writes, free=False)
    return {name: as_json(value, place.inside(name)) for name, value in given.items()}


def as_json(value: Any, place: Place = FREE) -> Any:
    """A time without a zone is in UTC. A date is its first moment in UTC, or the day where it is free.

    Raises TypeError or ValueError, with the place, for what JSON has no form for.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return as_json(value.value, place)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, (Real, Decimal, timedelta)):
        return _number(value, place)
    if isinstance(value, date):
        return _time(value, place)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray)):
        return value.decode()
    return _compound(value, place)


def _number(value: Any, place: Place) -> int | float:
    number = value.total_seconds() if isinstance(value, timedelta) else value
    if not math.isfinite(number):
        raise ValueError(f"{place} must be a finite number, not {value}.")
    return int(number) if number == int(number) and not isinstance(value, float) else float(number)


def _time(value: date, place: Place) -> str:
    if not isinstance(value, datetime):
        if place.free:
            return value.isoformat()
        value = datetime(value.year, value.month, value.day)
    return value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC).isoformat()


def _compound(value: Any, place: Place) -> Any:
    if hasattr(value, "model_dump"):
        return as_json(value.model_dump(exclude_unset=True), place)
    if hasattr(value, "tolist"):  # numpy, and what has the same methods
        return as_json(value.tolist(), place)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_json({each.name: getattr(value, each.name) for each in dataclasses.fields(value)}, place)
    if isinstance(value, Mapping):
        named = [(str(as_json(key)), each) for key, each in value.items()]
        left = [each for each in named if each[1] is not None or not place.leaves_out_none()]
        return {name: as_json(each, place.inside(name)) for name, each in left}
    if isinstance(value, (set, frozenset)):
        return sorted((as_json(each, place) for each in value), key=str)
    if isinstance(value, Iterable):
        return [as_json(each, place) for each in value]
    raise TypeError(f"{place} cannot be sent: JSON has no form for a {type(value).__name__}.")
