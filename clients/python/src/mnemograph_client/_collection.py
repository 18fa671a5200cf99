"""Documents with ids of their own, kept as memories: what the vector stores of LangChain and LlamaIndex share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, cast

from . import models
from ._metadata import packed, unpacked
from ._shared import DocumentsRefused, ProblemError
from ._sync.client import Client

BATCH = 100
PAGE = 100
LOOKUPS = 8
LONGEST_SESSION = 200

# The service has no memory without a text.
NO_TEXT = "(no text)"


class Entry(NamedTuple):
    """A document. `own` is what an adapter keeps besides its metadata."""

    id: str
    text: str
    metadata: Mapping[Any, Any]
    source: str | None = None
    own: Mapping[str, Any] = {}


class Collection:
    """The documents of one adapter. A tag marks their memories, and no other memory is read or changed."""

    def __init__(self, client: Client, name: str, policy: str) -> None:
        if not name.strip():
            raise ValueError("A collection needs a name.")
        self._client = client
        self._name = name
        self._policy = policy

    def put(self, entries: Iterable[Entry]) -> list[str]:
        """Stores new documents, and changes those whose id is known. Answers their ids.

        Raises DocumentsRefused, which names each one that cannot be stored, after it has stored the others.
        """
        refused: dict[str, str] = {}
        wanted: dict[str, models.NewMemory] = {}
        for entry in entries:
            try:
                wanted[entry.id] = self._memory_of(entry)
            except (TypeError, ValueError) as error:
                refused[entry.id] = str(error)
        known = self._known(list(wanted))
        for document_id, memory in known.items():
            if reason := _refusal_of(partial(self._change, memory, wanted[document_id])):
                refused[document_id] = reason
        new = [(each, memory) for each, memory in wanted.items() if each not in known]
        for at in range(0, len(new), BATCH):
            self._create(new[at : at + BATCH], refused)
        if refused:
            raise DocumentsRefused(refused, [each for each in wanted if each not in refused])
        return list(wanted)

    def _memory_of(self, entry: Entry) -> models.NewMemory:
        blank = not entry.text.strip()
        own = {**entry.own, "text": entry.text} if blank else entry.own
        memory: dict[str, Any] = {
            "content": NO_TEXT if blank else entry.text,
            "policy": self._policy,
            "ttl_seconds": 0,
            "tags": [self._name],
            "session_id": self._session_of(entry.id),
            "metadata": packed(entry.metadata, entry.id, own),
        }
        if entry.source:
            memory["source"] = entry.source
        return cast(models.NewMemory, memory)

    def _session_of(self, document_id: str) -> str:
        """Finds a document by its id, as the service has an index of sessions."""
        session = f"{self._name}:{document_id}"
        fits = len(session) <= LONGEST_SESSION and session.isascii() and session == session.strip()
        return session if fits else f"{self._name}:#{sha256(document_id.encode()).hexdigest()}"

    def _known(self, ids: Iterable[str]) -> dict[str, models.Memory]:
        """The memory of each document that there is: one for each, also where two processes stored it at once."""
        with ThreadPoolExecutor(LOOKUPS) as pool:
            return {each: found[0] for each, found in zip(ids, pool.map(self._all_of, ids), strict=True) if found}

    def _all_of(self, document_id: str) -> list[models.Memory]:
        found = self._client.iter_memories(session_id=self._session_of(document_id), tags=[self._name])
        return [memory for memory in found if memory["metadata"].get("_id") == document_id]

    def _change(self, memory: models.Memory, wanted: models.NewMemory) -> None:
        fields = {name: wanted.get(name) for name in ("content", "metadata", "source")}
        if all(memory[name] == value for name, value in fields.items()):  # type: ignore[literal-required]
            return
        if fields["source"] is None and memory["source"] is not None:
            fields["clear"] = ["source"]
        self._client.update_memory(**cast(models.UpdateMemoryInput, {"id": memory["id"], **fields}))

    def _create(self, new: list[tuple[str, models.NewMemory]], refused: dict[str, str]) -> None:
        """All in one transaction. If they are refused, halves find the ones that are to blame."""
        reason = _refusal_of(partial(self._client.create_memories, memories=[memory for _, memory in new]))
        if reason and len(new) == 1:
            refused[new[0][0]] = reason
        elif reason:
            half = len(new) // 2
            self._create(new[:half], refused)
            self._create(new[half:], refused)

    def get(self, ids: Iterable[str]) -> list[models.Memory]:
        return list(self._known(list(dict.fromkeys(ids))).values())

    def delete(self, ids: Iterable[str]) -> None:
        for document_id in dict.fromkeys(ids):
            for memory in self._all_of(document_id):
                self._client.delete_memory(id=memory["id"])

    def clear(self) -> None:
        for memory in list(self.all()):
            self._client.delete_memory(id=memory["id"])

    def all(self, **filters: Any) -> Iterator[models.Memory]:
        """All documents, or those that the filters of a list leave."""
        fields = {"limit": PAGE, "order": "asc", **filters, "tags": [self._name]}
        yield from self._client.iter_memories(**cast(models.ListMemoriesInput, fields))

    def search(self, query: str, search_type: str, limit: int, **filters: Any) -> Iterator[models.SearchResult]:
        """The best results first, at most 1,000."""
        fields = {
            "query": query,
            "by_parts": True,
            "search_type": search_type,
            "limit": min(limit, PAGE),
            **filters,
        }
        yield from self._client.iter_results(**cast(models.SearchMemoriesInput, {**fields, "tags": [self._name]}))


def entry_in(memory: models.Memory) -> Entry:
    """The document of a memory."""
    metadata, own = unpacked(memory["metadata"])
    text = own.pop("text", memory["content"])
    return Entry(str(memory["metadata"]["_id"]), text, metadata, memory["source"], own)


def _refusal_of(store: Callable[[], Any]) -> str | None:
    """Why the input cannot be stored. Other failures are raised."""
    try:
        store()
    except ProblemError as error:
        if error.status not in (413, 422):
            raise
        return str(error)
    except UnicodeEncodeError as error:
        return f"its text is not Unicode: {error.reason}"
    return None
