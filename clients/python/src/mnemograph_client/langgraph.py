"""A long-term store of LangGraph in which each item is a memory: `pip install "mnemograph-client[langgraph]"`."""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from itertools import islice
from threading import Lock
from typing import Any
from urllib.parse import quote, unquote

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
    TTLConfig,
)

from . import models
from ._filters import passes
from ._json import as_json
from ._sync.client import Client

ROOT = "langgraph:"
PAGE = 200

# What the service takes of characters in a session, a tag and a text of the metadata, and of tags less the one of ROOT.
SESSION = 200
TAG = 100
TEXT = 500
DEEPEST = 49

# As `encodeURIComponent` has it.
SAFE = "!~*'()"


class MemoryStore(BaseStore):
    """An item is a memory: the content is its value as JSON, the `session_id` stands for its namespace, the tags for
    the prefixes of that, and the metadata have its key. A search with a query is hybrid. A deleted item is archived.
    Times, UUIDs and the like in a value are stored as text.

    The store of the TypeScript client has the same form: both can share their items. Two processes that put a new key
    at the same time can store it twice; a read then answers the later one.
    """

    supports_ttl = True

    def __init__(self, client: Client, *, policy: str = "long_term", ttl: TTLConfig | None = None) -> None:
        self._client = client
        self._policy = policy
        self._writing = Lock()
        self.ttl_config = ttl

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
            is_item = found is not None and _value_of(found) is not None
            return _item_of(self._refreshed(found, op.refresh_ttl)) if found and is_item else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        return None

    def _find(self, namespace: tuple[str, ...], key: str) -> models.Memory | None:
        return next(self._all_of(namespace, key), None)

    def _all_of(self, namespace: tuple[str, ...], key: str) -> Iterator[models.Memory]:
        yield from self._client.iter_memories(session_id=_name_of(namespace, SESSION), metadata={"key": _key_of(key)})

    def _refreshed(self, memory: models.Memory, refresh: bool) -> models.Memory:
        """An item expires some time after it was last read."""
        if refresh and memory["ttl_seconds"] > 0:
            self._client.update_memory(id=memory["id"], ttl_seconds=memory["ttl_seconds"])
        return memory

    def _write(self, op: PutOp) -> None:
        if op.value is None:
            for memory in list(self._all_of(op.namespace, op.key)):
                self._client.delete_memory(id=memory["id"])
            return
        content = _json_of(op.value)
        ttl_seconds = 0 if op.ttl is None else max(1, round(op.ttl * 60))
        metadata = _metadata_of(op)
        if known := self._find(op.namespace, op.key):
            self._client.update_memory(id=known["id"], content=content, ttl_seconds=ttl_seconds, metadata=metadata)
            return
        self._client.create_memory(
            content=content,
            policy=self._policy,
            ttl_seconds=ttl_seconds,
            session_id=_name_of(op.namespace, SESSION),
            tags=[_name_of(op.namespace[:depth], TAG) for depth in range(min(len(op.namespace), DEEPEST) + 1)],
            metadata=metadata,
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tag = _name_of(op.namespace_prefix[:DEEPEST], TAG)
        pages = self._matching(tag, op.query) if op.query else self._listed(tag)
        depth, wanted = len(op.namespace_prefix), as_json(op.filter or {})
        within = (each for each in pages if _namespace_of(each[0])[:depth] == op.namespace_prefix)
        passing = (each for each in within if passes(_value_of(each[0]), wanted))
        found = islice(passing, op.offset, op.offset + op.limit)
        return [_search_item_of(self._refreshed(memory, op.refresh_ttl), score) for memory, score in found]

    def _matching(self, tag: str, query: str) -> Iterator[tuple[models.Memory, float | None]]:
        """Items that are not indexed stand last, without a score."""
        last = []
        for result in self._client.iter_results(
            query=query, search_type="hybrid", by_parts=True, tags=[tag], limit=PAGE
        ):
            if result["memory"]["metadata"].get("indexed", True):
                yield result["memory"], result["score"]
            else:
                last.append((result["memory"], None))
        yield from last

    def _listed(self, tag: str) -> Iterator[tuple[models.Memory, float | None]]:
        for memory in self._client.iter_memories(tags=[tag], order="asc", limit=PAGE):
            yield memory, None

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        names: set[tuple[str, ...]] = set()
        for each in self._client.iter_sessions(prefix=ROOT, limit=PAGE):
            namespace = self._namespace_named(each["value"])
            if namespace and all(_is_match(condition, namespace) for condition in op.match_conditions or ()):
                names.add(namespace[: op.max_depth])
        return sorted(names)[op.offset : op.offset + op.limit]

    def _namespace_named(self, session: str) -> tuple[str, ...] | None:
        """A name that is a digest is spelled out in each of its memories."""
        if not session.startswith(f"{ROOT}#"):
            return tuple(unquote(label) for label in session.removeprefix(ROOT).split(":"))
        memories = self._client.list_memories(session_id=session, limit=1)["memories"]
        return _namespace_of(memories[0]) if memories else None


def _full_name_of(namespace: tuple[str, ...]) -> str:
    """A colon ends a label, so the others are escaped."""
    return ROOT + ":".join(quote(label, safe=SAFE) for label in namespace)


def _name_of(namespace: tuple[str, ...], longest: int) -> str:
    full = _full_name_of(namespace)
    return full if len(full) <= longest else ROOT + _digest_of(full)


def _key_of(key: str) -> str:
    quoted = quote(key, safe=SAFE)
    return quoted if len(quoted) <= TEXT else _digest_of(quoted)


def _metadata_of(op: PutOp) -> dict[str, str | float | bool]:
    return {
        "key": _key_of(op.key),
        **({"indexed": False} if op.index is False else {}),
        **_pieces("key", _key_of(op.key), quote(op.key, safe=SAFE)),
        **_pieces("namespace", _name_of(op.namespace, SESSION), _full_name_of(op.namespace)),
    }


def _digest_of(name: str) -> str:
    """A `#` begins no name, as it would be escaped."""
    return f"#{sha256(name.encode()).hexdigest()}"


def _pieces(name: str, short: str, full: str) -> dict[str, str]:
    """What a digest stands for."""
    if short == full:
        return {}
    return {f"{name}.{at // TEXT}": full[at : at + TEXT] for at in range(0, len(full), TEXT)}


def _full(name: str, short: str, metadata: Mapping[str, Any]) -> str:
    pieces = [str(metadata[f"{name}.{at}"]) for at in range(len(metadata)) if f"{name}.{at}" in metadata]
    return "".join(pieces) or short


def _namespace_of(memory: models.Memory) -> tuple[str, ...]:
    full = _full("namespace", memory["session_id"] or ROOT, memory["metadata"])
    return tuple(unquote(label) for label in full.removeprefix(ROOT).split(":"))


def _json_of(value: Mapping[str, Any]) -> str:
    text = json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _value_of(memory: models.Memory) -> dict[str, Any] | None:
    """None if somebody has changed the content to another text."""
    try:
        value = json.loads(memory["content"])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _item_of(memory: models.Memory) -> Item:
    return Item(
        value=_value_of(memory) or {},
        key=unquote(_full("key", str(memory["metadata"].get("key", "")), memory["metadata"])),
        namespace=_namespace_of(memory),
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
