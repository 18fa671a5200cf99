"""What people give as arguments, and what the service gets."""

import dataclasses
import json
from collections import deque
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID, uuid4

import httpx
import numpy as np
import pytest
from pydantic import BaseModel

from mnemograph_client import Client, ProblemError

from .adapters import ADDRESS, KEY

ID = UUID("01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803")


class Policy(StrEnum):
    LONG = "long_term"


class Level(Enum):
    HIGH = 0.9


class Person(BaseModel):
    name: str
    born: date | None = None


@dataclasses.dataclass
class Place:
    room: str
    floor: int


def sent(method: str, **fields: Any) -> dict[str, Any]:
    """What one call sends, in the body or the query."""
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={})

    with Client("http://service", transport=httpx.MockTransport(handle)) as client:
        getattr(client, method)(**fields)
    body = json.loads(seen[0].content) if seen[0].content else {}
    return {"path": seen[0].url.path.removeprefix("/api/v1"), **dict(seen[0].url.params), **body}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Policy.LONG, "long_term"),
        (Level.HIGH, 0.9),
        (ID, str(ID)),
        (PurePosixPath("/notes/a.md"), "/notes/a.md"),
        (Decimal("0.8"), 0.8),
        (Decimal(5), 5),
        (Fraction(1, 4), 0.25),
        (timedelta(minutes=2), 120),
        (np.int64(5), 5),
        (np.float32(0.5), 0.5),
        (np.float64(0.8), 0.8),
        (np.bool_(True), True),
        (np.str_("text"), "text"),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.datetime64("2026-11-20T10:00"), "2026-11-20T10:00:00+00:00"),
        (b"text", "text"),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({"a"}), ["a"]),
        (("a", "b"), ["a", "b"]),
        ((each for each in "ab"), ["a", "b"]),
        (deque(["a"]), ["a"]),
        ({"a": 1}.keys(), ["a"]),
        (range(2), [0, 1]),
        (Person(name="Ada"), {"name": "Ada"}),
        (Place("kitchen", 2), {"room": "kitchen", "floor": 2}),
        ({ID: Level.HIGH}, {str(ID): 0.9}),
        (datetime(2026, 11, 20, 10), "2026-11-20T10:00:00+00:00"),
        (datetime(2026, 11, 20, 10, tzinfo=timezone(timedelta(hours=2))), "2026-11-20T08:00:00+00:00"),
        (date(2026, 11, 20), "2026-11-20T00:00:00+00:00"),
    ],
    ids=repr,
)
def test_an_argument_is_taken_as_people_mean_it(given: Any, expected: Any) -> None:
    assert sent("create_memory", content=given)["content"] == expected


def test_in_queries_and_paths_too() -> None:
    asked = sent("list_memories", created_after=date(2026, 11, 20), limit=np.int64(5), policy=None, tags=None)
    assert asked == {"path": "/memories", "created_after": "2026-11-20T00:00:00+00:00", "limit": "5"}
    assert sent("get_memory", id=ID, record_recall=np.bool_(False)) == {
        "path": f"/memories/{ID}",
        "record_recall": "false",
    }


def test_none_is_not_given_but_never_widens_a_filter() -> None:
    written = sent("create_memory", content="text", source=None, metadata={"a": None, "day": date(2026, 11, 20)})
    assert written == {"path": "/memories", "content": "text", "metadata": {"day": "2026-11-20"}}
    batch = sent("create_memories", memories=({"content": each, "source": None} for each in "ab"))
    assert batch["memories"] == [{"content": "a"}, {"content": "b"}]
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as client:
        made = client.create_memory(content="kept", policy="long_term", ttl_seconds=0, tags=["a"])
        for filters in ({"source": None, "tags": ["a"]}, {"metadata": {"user": None}}):
            with pytest.raises(ProblemError, match="Validation failed"):
                client.erase_memories(filters=filters)  # type: ignore[arg-type]
        with pytest.raises(ProblemError):
            client.list_memories(metadata={"user": None})
        assert client.get_memory(id=made["id"])["content"] == "kept"


@pytest.mark.parametrize("given", [None, "", "  ", ".", ".."])
def test_an_empty_id_is_no_other_operation(given: Any) -> None:
    for method in ("get_memory", "delete_memory", "update_memory"):
        with pytest.raises(ValueError, match="`id` is required"):
            sent(method, id=given)


def test_what_has_no_form_is_refused_with_its_place() -> None:
    with pytest.raises(TypeError, match=r"`metadata.owner` cannot be sent: JSON has no form for a object"):
        sent("create_memory", content="x", metadata={"owner": object()})
    with pytest.raises(ValueError, match="`importance` must be a finite number, not nan"):
        sent("create_memory", content="x", importance=float("nan"))


def test_the_service_takes_them() -> None:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as client:
        made = client.create_memory(
            content="from a notebook",
            policy=Policy.LONG,
            ttl_seconds=timedelta(days=1),  # type: ignore[arg-type]
            importance=np.float32(0.5),  # type: ignore[arg-type]
            tags={"b", "a"},  # type: ignore[arg-type]
            source=Path("notes") / "a.md",  # type: ignore[arg-type]
            session_id=ID,  # type: ignore[arg-type]
            valid_from=datetime(2026, 1, 1),  # type: ignore[arg-type]
            metadata={"price": Decimal("9.5"), "seen": datetime(2026, 1, 1, tzinfo=UTC), "count": np.int32(3)},
            wait=timedelta(seconds=1).total_seconds(),
        )
        assert (made["ttl_seconds"], made["tags"], made["source"]) == (86_400, ["a", "b"], "notes/a.md")
        assert made["valid_from"] == "2026-01-01T00:00:00.000Z"
        assert made["metadata"] == {"price": 9.5, "seen": "2026-01-01T00:00:00+00:00", "count": 3}
        assert client.get_memory(id=UUID(made["id"]))["session_id"] == str(ID)  # type: ignore[arg-type]
