"""A retriever and a vector store of LangChain: `pip install "mnemograph-client[langchain]"`."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, Self, cast
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict

from . import models
from ._async.client import AsyncClient
from ._collection import Collection, Entry, entry_in
from ._metadata import entry_of
from ._sync.client import Client


class MemoryRetriever(BaseRetriever):
    """Answers the memories that match a query as documents: content, id, and all else as metadata, with the score.

    `search` takes what `search_memories` takes, for instance `{"tags": ["pets"]}`. Without an `async_client`, an async
    call runs the sync one in a thread.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Client
    async_client: AsyncClient | None = None
    k: int = 10
    search_type: Literal["semantic", "keyword", "hybrid"] = "hybrid"
    search: dict[str, Any] = {}

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return _documents(self.client.search_memories(**self._input(query, k)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        if self.async_client is None:
            sync = run_manager.get_sync()
            return await asyncio.to_thread(self._get_relevant_documents, query, run_manager=sync, k=k)
        return _documents(await self.async_client.search_memories(**self._input(query, k)))

    def _input(self, query: str, k: int | None) -> models.SearchMemoriesInput:
        fields = {
            "search_type": self.search_type,
            "limit": k or self.k,
            "by_parts": True,
            **self.search,
            "query": query,
        }
        return cast(models.SearchMemoriesInput, fields)


def _documents(found: models.SearchMemoriesOutput) -> list[Document]:
    return [_document(result) for result in found["results"]]


def _document(result: models.SearchResult) -> Document:
    memory: dict[str, Any] = {**result["memory"]}
    content = memory.pop("content")
    return Document(id=memory["id"], page_content=content, metadata={**memory, "score": result["score"]})


class MemoryVectorStore(VectorStore):
    """A document is a memory: its text is the content, and its id and metadata are kept with it. The service makes the
    vectors, so no model is needed. A store reads and changes the documents of its `collection` only.

    Adding a document with a known id changes it. Metadata of any form are kept; filters compare them for equality.
    """

    def __init__(
        self,
        client: Client,
        *,
        collection: str = "langchain",
        policy: str = "long_term",
        search_type: Literal["semantic", "keyword", "hybrid"] = "semantic",
    ) -> None:
        self._documents = Collection(client, collection, policy)
        self._search_type = search_type

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Raises DocumentsRefused, which names each document that cannot be stored, after it has stored the others."""
        listed = list(texts)
        for name, given in (("metadatas", metadatas), ("ids", ids)):
            if given is not None and len(given) != len(listed):
                raise ValueError(f"There are {len(listed)} texts and {len(given)} {name}.")
        named = [each or str(uuid4()) for each in ids or [None] * len(listed)]
        self._documents.put(
            Entry(document_id, text, metadata or {})
            for document_id, text, metadata in zip(named, listed, metadatas or [{}] * len(listed), strict=True)
        )
        return named

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Archives the memories of these documents."""
        if ids is None:
            raise ValueError("Name the ids of the documents to delete. To delete all, call `clear`.")
        self._documents.delete([ids] if isinstance(ids, str) else ids)
        return True

    def clear(self) -> None:
        """Archives the memories of all documents of the collection."""
        self._documents.clear()

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [_document_in(memory) for memory in self._documents.get(ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        *,
        filter: Mapping[str, Any] | Callable[[Document], bool] | None = None,
        **kwargs: Any,
    ) -> list[tuple[Document, float]]:
        """The best first. `filter` has the values that metadata must have, or says which documents pass."""
        wanted = filter if isinstance(filter, Mapping) else {}
        entries = [entry for key, value in wanted.items() if (entry := entry_of(key, value))]
        results = self._documents.search(query, self._search_type, k, metadata=dict(entries))
        found = ((_document_in(result["memory"]), result["score"]) for result in results)
        passing = (each for each in found if _passes(each[0], filter))
        return list(islice(passing, k))

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda score: score

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        client: Client | None = None,
        **kwargs: Any,
    ) -> Self:
        """The service makes the vectors: `embedding` is not used."""
        if client is None:
            raise ValueError("The store needs a `client`.")
        store = cls(client, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def _document_in(memory: models.Memory) -> Document:
    entry = entry_in(memory)
    return Document(id=entry.id, page_content=entry.text, metadata=dict(entry.metadata))


def _passes(document: Document, wanted: Mapping[str, Any] | Callable[[Document], bool] | None) -> bool:
    if isinstance(wanted, Mapping):
        return all(key in document.metadata and document.metadata[key] == value for key, value in wanted.items())
    return wanted is None or wanted(document)
