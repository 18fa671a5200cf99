"""The store does what the one in memory of the library does."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from langgraph.store.base import BaseStore, GetOp, PutOp
from langgraph.store.memory import InMemoryStore

from mnemograph_client import Client
from mnemograph_client.langgraph import MemoryStore

from . import ADDRESS, KEY

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
    with pytest.raises(ValueError, match="colon"):
        await store.aput(("a:b",), "x", {})
