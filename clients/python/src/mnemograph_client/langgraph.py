"""A long-term store of LangGraph in which each item is a memory: `pip install "mnemograph-client[langgraph]"`."""

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from threading import Lock
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from . import models
from ._sync.client import Client

ROOT = "langgraph:"
PAGE = 200


class MemoryStore(BaseStore):
    """An item is a memory: the content is its value as JSON, the `session_id` stands for its namespace, the tags for the
    prefixes of that, and the metadata have its key. A search with a query is hybrid. A deleted item is archived.

    The store of the TypeScript client has the same form: both can share their items. Two processes that put a new key
    at the same time can store it twice; a read then answers the later one.
    """

    def __init__(self, client: Client, *, policy: str = "long_term") -> None:
        self._client = client
        self._policy = policy
        self._writing = Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The reads of a batch do not see its writes; of several writes of one item the last one counts."""
        operations = list(ops)
        results = [self._read(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        with self._writing:
            for put in puts.values():
                self._write(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, ops)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._find(op.namespace, op.key)
            return _item_of(found) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        return None

    def _find(self, namespace: tuple[str, ...], key: str) -> models.Memory | None:
        found = self._client.list_memories(session_id=_session_of(namespace), metadata={"key": key}, limit=1)
        return next(iter(found["memories"]), None)

    def _write(self, op: PutOp) -> None:
        known = self._find(op.namespace, op.key)
        if op.value is None:
            if known:
                self._client.delete_memory(id=known["id"])
            return
        content = json.dumps(dict(op.value), ensure_ascii=False, separators=(",", ":"))
        if known:
            self._client.update_memory(id=known["id"], content=content)
            return
        self._client.create_memory(
            content=content,
            policy=self._policy,
            ttl_seconds=0,
            session_id=_session_of(op.namespace),
            tags=[_session_of(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)],
            metadata={"key": op.key},
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tag = _session_of(op.namespace_prefix)
        pages = self._matching(tag, op.query) if op.query else self._listed(tag)
        found: list[SearchItem] = []
        for item in pages:
            if _passes(item.value, op.filter or {}):
                found.append(item)
            if len(found) >= op.offset + op.limit:
                break
        return found[op.offset : op.offset + op.limit]

    def _matching(self, tag: str, query: str) -> Iterator[SearchItem]:
        for result in self._client.iter_results(query=query, search_type="hybrid", tags=[tag], limit=PAGE):
            yield _search_item_of(result["memory"], result["score"])

    def _listed(self, tag: str) -> Iterator[SearchItem]:
        for memory in self._client.iter_memories(tags=[tag], order="asc", limit=PAGE):
            yield _search_item_of(memory, None)

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        names: set[tuple[str, ...]] = set()
        for each in self._client.iter_sessions(prefix=ROOT, limit=PAGE):
            namespace = _namespace_of(each["value"])
            if all(_is_match(condition, namespace) for condition in op.match_conditions or ()):
                names.add(namespace[: op.max_depth])
        return sorted(names)[op.offset : op.offset + op.limit]


def _session_of(namespace: tuple[str, ...]) -> str:
    """Labels of LangGraph have no periods. A colon would end a label here."""
    if any(":" in label for label in namespace):
        raise ValueError("A label of a namespace cannot contain a colon.")
    return ROOT + ":".join(namespace)


def _namespace_of(session: str) -> tuple[str, ...]:
    return tuple(session.removeprefix(ROOT).split(":"))


def _item_of(memory: models.Memory) -> Item:
    return Item(
        value=json.loads(memory["content"]),
        key=str(memory["metadata"]["key"]),
        namespace=_namespace_of(memory["session_id"] or ROOT),
        created_at=datetime.fromisoformat(memory["created_at"]),
        updated_at=datetime.fromisoformat(memory["updated_at"]),
    )


def _search_item_of(memory: models.Memory, score: float | None) -> SearchItem:
    item = _item_of(memory)
    return SearchItem(
        namespace=item.namespace,
        key=item.key,
        value=item.value,
        created_at=item.created_at,
        updated_at=item.updated_at,
        score=score,
    )


def _is_match(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    if start < 0 or len(namespace) < start + len(path):
        return False
    return all(label in ("*", namespace[start + at]) for at, label in enumerate(path))


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": lambda value, bound: float(value) > float(bound),
    "$gte": lambda value, bound: float(value) >= float(bound),
    "$lt": lambda value, bound: float(value) < float(bound),
    "$lte": lambda value, bound: float(value) <= float(bound),
}


def _passes(value: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """The filters of LangGraph: a value, or operators such as `{"$gte": 3}`, for each field."""
    return all(_is_as_wanted(value.get(field), each) for field, each in wanted.items())


def _is_as_wanted(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and any(name.startswith("$") for name in wanted):
        return all(OPERATORS[name](value, bound) for name, bound in cast(dict[str, Any], wanted).items())
    return bool(value == wanted)
