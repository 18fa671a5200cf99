"""Metadata of any form in the flat metadata of a memory, and back.

What fits is kept as it is, so that filters find it. All else is one JSON text, cut into the entries `_rest.0`,
`_rest.1` and so on. Keys outside the alphabet of the service are escaped as by its importers.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from unicodedata import is_normalized
from uuid import UUID

from ._json import as_json

Flat = dict[str, str | int | float | bool]

MOST_ENTRIES = 32
LONGEST_TEXT = 500
LARGEST_NUMBER = 2**53 - 1
FITS = re.compile(r"[A-Za-z0-9_.-]{1,64}")
RESERVED = re.compile(r"_id|_rest\.\d+|__proto__")
TYPE = "$type"

Coding = tuple[type | tuple[type, ...], Callable[[Any], Any], Callable[[Any], Any]]

# How values are written that JSON has no form for, and read.
TYPES: dict[str, Coding] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "uuid": (UUID, str, UUID),
    "decimal": (Decimal, str, Decimal),
    "path": (PurePath, str, PurePath),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "set": ((set, frozenset), lambda value: sorted(value, key=str), set),
    "tuple": (tuple, list, tuple),
}


def packed(metadata: Mapping[Any, Any], node_id: str, own: Mapping[str, Any]) -> Flat:
    """`own` is what an adapter keeps besides. Raises ValueError if it is too much for a memory."""
    flat: Flat = {}
    rest: list[tuple[Any, Any]] = []
    for key, value in metadata.items():
        entry = entry_of(key, value)
        if entry is None:
            rest.append((key, value))
        else:
            flat[entry[0]] = entry[1]
    pieces = _pieces(rest, own)
    while len(flat) + len(pieces) > MOST_ENTRIES - 1 and flat:
        name, moved = flat.popitem()
        rest.append((key_of(name), moved))
        pieces = _pieces(rest, own)
    if len(pieces) > MOST_ENTRIES - 1:
        raise ValueError(f"its metadata are longer than {(MOST_ENTRIES - 1) * LONGEST_TEXT} characters")
    return {**flat, "_id": node_id, **{f"_rest.{at}": piece for at, piece in enumerate(pieces)}}


def unpacked(flat: Mapping[str, Any]) -> tuple[dict[Any, Any], dict[str, Any]]:
    """The metadata, and what the adapter kept besides."""
    pieces = [flat[f"_rest.{at}"] for at in range(MOST_ENTRIES) if f"_rest.{at}" in flat]
    rest = json.loads("".join(pieces)) if pieces else {"entries": [], "own": {}}
    plain = {key_of(name): value for name, value in flat.items() if not RESERVED.fullmatch(name)}
    return {**plain, **{_untagged(key): _untagged(value) for key, value in rest["entries"]}}, rest["own"]


def entry_of(key: Any, value: Any) -> tuple[str, str | int | float | bool] | None:
    """An entry that filters find, or None if it does not fit."""
    if not isinstance(key, str) or len(name := name_of(key)) > 64:
        return None
    if isinstance(value, bool):
        return name, value
    if isinstance(value, int):
        return (name, int(value)) if abs(value) <= LARGEST_NUMBER else None
    if isinstance(value, float):
        return (name, float(value)) if abs(value) < float("inf") else None
    if isinstance(value, str):
        kept = len(value) <= LONGEST_TEXT and is_normalized("NFC", value) and not re.search("[\0\ud800-\udfff]", value)
        return (name, str(as_json(value))) if kept else None
    simple = as_json(value) if hasattr(value, "dtype") and not getattr(value, "shape", ()) else None
    return None if simple is None else entry_of(key, simple)


def name_of(key: str) -> str:
    """The key itself if it can be one of a memory, otherwise escaped."""
    if FITS.fullmatch(key) and not RESERVED.fullmatch(key) and key_of(key) == key:
        return key
    return "x-" + re.sub(r"[^A-Za-z0-9_.]+", lambda run: "-" + ".".join(f"{ord(each):x}" for each in run[0]) + "-", key)


def key_of(name: str) -> str:
    """What `name_of` had."""
    if not name.startswith("x-"):
        return name
    parts = name[2:].split("-")
    try:
        decoded = [
            "".join(chr(int(code, 16)) for code in part.split(".")) if at % 2 else part for at, part in enumerate(parts)
        ]
    except (ValueError, OverflowError):
        return name
    key = "".join(decoded)
    return key if name_of(key) == name else name


def _pieces(entries: list[tuple[Any, Any]], own: Mapping[str, Any]) -> list[str]:
    if not entries and not own:
        return []
    content = {"entries": [[_tagged(key), _tagged(value)] for key, value in entries], "own": own}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    if not is_normalized("NFC", text) or re.search("[\ud800-\udfff]", text):
        text = json.dumps(content, separators=(",", ":"))
    return [text[at : at + LONGEST_TEXT] for at in range(0, len(text), LONGEST_TEXT)]


def _tagged(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    for name, (kind, write, _) in TYPES.items():
        if isinstance(value, kind):
            return {TYPE: name, "value": _tagged(write(value))}
    if isinstance(value, Mapping):
        if TYPE in value or not all(isinstance(key, str) for key in value):
            return {TYPE: "dict", "value": [[_tagged(key), _tagged(each)] for key, each in value.items()]}
        return {key: _tagged(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_tagged(each) for each in value]
    return _tagged(as_json(value))


def _untagged(value: Any) -> Any:
    if isinstance(value, list):
        return [_untagged(each) for each in value]
    if not isinstance(value, dict):
        return value
    if TYPE not in value:
        return {key: _untagged(each) for key, each in value.items()}
    content = _untagged(value["value"])
    return dict(content) if value[TYPE] == "dict" else TYPES[value[TYPE]][2](content)
