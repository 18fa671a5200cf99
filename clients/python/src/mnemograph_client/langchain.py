"""A retriever of LangChain over the memories of a tenant: `pip install "mnemograph-client[langchain]"`."""

import asyncio
from typing import Any, Literal, cast

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from . import models
from ._async.client import AsyncClient
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
        fields = {"search_type": self.search_type, "limit": k or self.k, **self.search, "query": query}
        return cast(models.SearchMemoriesInput, fields)


def _documents(found: models.SearchMemoriesOutput) -> list[Document]:
    return [_document(result) for result in found["results"]]


def _document(result: models.SearchResult) -> Document:
    memory: dict[str, Any] = {**result["memory"]}
    content = memory.pop("content")
    return Document(id=memory["id"], page_content=content, metadata={**memory, "score": result["score"]})
