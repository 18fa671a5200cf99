"""The store does what the one in memory of the library does."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph.store.base import BaseStore, GetOp, PutOp
from langgraph.store.memory import InMemoryStore

from mnemograph_client import Client
from mnemograph_client.langgraph import MemoryStore

from . import ADDRESS, KEY, LONG_PROMPT, SAID

NAMESPACES = [("users", "ada", "facts"), ("users", "ada"), ("users", "ben", "facts"), ("shared",)]


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
        yield opened


def plain(found: Any) -> Any:
    """Without the times, which are those of two stores, and in one order."""
    if isinstance(found, list):
        return sorted((plain(each) for each in found), key=str)
    if hasattr(found, "key"):
        return {"key": found.key, "namespace": tuple(found.namespace), "value": found.value}
    return found


def test_a_store_does_what_the_one_of_the_library_does(client: Client) -> None:
    mine, reference = MemoryStore(client), InMemoryStore()

    def both(act: Callable[[BaseStore], Any]) -> None:
        assert plain(act(mine)) == plain(act(reference))

    for at, namespace in enumerate(NAMESPACES):
        for key in ("a", "b", "c"):
            value = {"text": f"{key} of {namespace[-1]}", "level": at, "deep": {"at": at}}
            both(lambda store, n=namespace, k=key, v=value: store.put(n, k, v))  # type: ignore[misc]
    both(lambda store: store.put(("users", "ada"), "a", {"text": "changed", "level": 7}))
    both(lambda store: store.delete(("users", "ben", "facts"), "b"))
    both(lambda store: store.delete(("users", "ben", "facts"), "never there"))
    for namespace in NAMESPACES:
        for key in ("a", "b"):
            both(lambda store, n=namespace, k=key: store.get(n, k))  # type: ignore[misc]
    for prefix in [("users",), ("users", "ada"), ("shared",), ("user",)]:
        for wanted in [None, {"level": 7}, {"level": {"$gte": 1, "$lt": 7}}, {"level": {"$ne": 0}}]:
            both(lambda store, p=prefix, w=wanted: store.search(p, filter=w, limit=50))  # type: ignore[misc]
    for options in [
        {},
        {"prefix": ("users",)},
        {"suffix": ("facts",)},
        {"max_depth": 2},
        {"prefix": ("users", "*", "facts")},
        {"limit": 1, "offset": 1},
    ]:
        both(lambda store, o=options: store.list_namespaces(**o))  # type: ignore[misc]
    both(
        lambda store: store.batch(
            [
                GetOp(("shared",), "a"),
                PutOp(("shared",), "a", {"text": "first"}),
                PutOp(("shared",), "a", {"text": "last"}),
            ]
        )
    )
    both(lambda store: store.get(("shared",), "a"))
    both(lambda store: store.get(("nobody",), "a"))


async def test_a_search_with_a_query_finds_within_its_prefix(client: Client) -> None:
    store = MemoryStore(client, policy="short_term")
    await store.aput(("users", "ada"), "pet", {"text": "Ada has a cat named Turing"})
    await store.aput(("users", "ben"), "pet", {"text": "Ben has a cat named Alan"})
    (found,) = await store.asearch(("users", "ada"), query="cat")
    assert (found.key, found.value) == ("pet", {"text": "Ada has a cat named Turing"})
    assert found.score is not None and found.created_at.tzinfo is not None


def test_names_of_any_length_and_character(client: Client) -> None:
    mine, reference = MemoryStore(client), InMemoryStore()
    uuids = tuple(str(uuid4()) for _ in range(8))
    deep = tuple(f"level {number}" for number in range(60))
    places = [uuids, uuids[:3], uuids[:7], deep, ("a:b", "c"), ("a", "b:c"), ("100%", " x ", "Müller", "e\u0301", "é")]
    keys = ["", "k", "a key: #1", "k" * 700, "#" + "a" * 64]
    for store in (mine, reference):
        for place in places:
            for key in keys:
                store.put(place, key, {"place": place[0], "key": key})
    for place in places:
        for key in keys:
            assert plain(mine.get(place, key)) == plain(reference.get(place, key))
    for prefix in [(), uuids[:2], uuids[:7], deep[:55], ("a:b",), ("a",), ("100%",)]:
        assert plain(mine.search(prefix, limit=100)) == plain(reference.search(prefix, limit=100))
    assert mine.list_namespaces() == reference.list_namespaces()
    assert mine.list_namespaces(prefix=uuids[:1], max_depth=5) == reference.list_namespaces(
        prefix=uuids[:1], max_depth=5
    )
    mine.delete(uuids, "k" * 700)
    assert mine.get(uuids, "k" * 700) is None
    assert len(mine.search(uuids, limit=100)) == len(keys) - 1


def test_filters_compare_times_nested_objects_and_lists(client: Client) -> None:
    store = MemoryStore(client)
    early, late = datetime(2026, 1, 1), datetime(2026, 6, 1, tzinfo=UTC)
    store.put(("a",), "one", {"at": early, "who": {"name": "Ada", "age": 36}, "tags": ["x", "y"], "id": UUID(int=1)})
    store.put(("a",), "two", {"at": late, "who": {"name": "Ben"}, "tags": ["x"], "day": date(2026, 6, 1)})

    def keys(**wanted: Any) -> list[str]:
        return [item.key for item in store.search(("a",), filter=wanted)]

    assert keys(at={"$gt": early}) == ["two"]
    assert keys(at={"$lte": "2026-01-01T01:00:00+01:00"}) == ["one"]
    assert keys(at=late) == keys(day={"$gte": date(2026, 5, 1)}) == ["two"]
    assert keys(who={"name": "Ada"}) == keys(who={"age": {"$gt": 18}}) == keys(id=UUID(int=1)) == ["one"]
    assert keys(tags=["x"]) == keys(tags=("x",)) == ["two"]
    assert keys(who={"$in": [{"name": "Ben"}]}) == keys(day={"$nin": [None]}) == ["two"]
    assert keys(missing={"$gt": 1}) == []
    with pytest.raises(ValueError, match=r"Unsupported operator: \$regex. Use one of: \$eq"):
        keys(at={"$regex": "x"})
    value = {"at": early, "text": "NUL \0 and \ud800", "pair": (1, 2), "none": None}
    store.put(("b",), "odd", value)
    found = store.get(("b",), "odd")
    assert found is not None
    assert found.value == {**value, "at": "2026-01-01T00:00:00+00:00", "pair": [1, 2]}


def test_items_expire_some_minutes_after_they_were_last_read(client: Client) -> None:
    store = MemoryStore(client, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(("a",), "default", {"n": 1})
    store.put(("a",), "own", {"n": 2}, ttl=0.5)
    store.put(("a",), "never", {"n": 3}, ttl=None)

    def expiry(key: str) -> tuple[int, str | None]:
        (memory,) = client.list_memories(metadata={"key": key})["memories"]
        return memory["ttl_seconds"], memory["expires_at"]

    assert [expiry(key)[0] for key in ("default", "own", "never")] == [600, 30, 0]
    before = expiry("own")
    store.get(("a",), "own")
    assert expiry("own") == before
    store.get(("a",), "own", refresh_ttl=True)
    after = expiry("own")
    assert after[1] is not None and before[1] is not None and after[1] > before[1]
    store.search(("a",), refresh_ttl=True)
    assert str(expiry("own")[1]) > after[1]
    store.put(("a",), "own", {"n": 2}, ttl=None)
    assert expiry("own") == (0, None)


def test_a_memory_that_was_edited_by_hand_is_left_out_and_can_be_put_again(client: Client) -> None:
    store = MemoryStore(client)
    for key in ("kept", "edited"):
        store.put(("a",), key, {"text": "A cat"})
    client.create_memory(content="foreign", policy="long_term", ttl_seconds=0, tags=["langgraph:", "langgraph:a"])
    (edited,) = client.list_memories(metadata={"key": "edited"})["memories"]
    client.update_memory(id=edited["id"], content="a cat, said Ada")
    assert [item.key for item in store.search(("a",))] == ["kept"]
    assert [item.key for item in store.search(("a",), query="cat")] == ["kept"]
    assert store.get(("a",), "edited") is None
    store.put(("a",), "edited", {"text": "again"})
    assert len(store.search(("a",))) == 2


def test_a_whole_prompt_is_a_question(client: Client) -> None:
    store = MemoryStore(client)
    for key, text in {"walrus": SAID, "tea": "The tea is ready"}.items():
        store.put(("notes",), key, {"text": text})
    assert store.search(("notes",), query=LONG_PROMPT)[0].key == "walrus"
