"""The tests that LangChain gives for retrievers, and what is particular to this one."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from mnemograph_client import AsyncClient, Client
from mnemograph_client.langchain import MemoryRetriever

from . import ADDRESS, KEY

TENANT = f"python-{uuid4()}"


@pytest.fixture(scope="module", autouse=True)
def client() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=TENANT) as opened:
        for number in range(5):
            opened.create_memory(
                content=f"Note {number} about walruses",
                policy="long_term",
                ttl_seconds=0,
                tags=["even" if number % 2 == 0 else "odd"],
            )
        yield opened


class TestMemoryRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return MemoryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"client": Client(ADDRESS, KEY, tenant=TENANT)}

    @property
    def retriever_query_example(self) -> str:
        return "walruses"


async def test_documents_have_ids_scores_and_what_a_memory_has(client: Client) -> None:
    async with AsyncClient(ADDRESS, KEY, tenant=TENANT) as waiting:
        retriever = MemoryRetriever(client=client, async_client=waiting, search={"tags": ["odd"]})
        documents = await retriever.ainvoke("walruses")
        assert {document.page_content for document in documents} == {
            "Note 1 about walruses",
            "Note 3 about walruses",
        }
        first = documents[0]
        assert first.id == first.metadata["id"] and first.metadata["tags"] == ["odd"]
        assert 0 < first.metadata["score"] <= 1
        assert [each.id for each in retriever.invoke("walruses")] == [each.id for each in documents]
