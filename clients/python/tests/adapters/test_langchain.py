"""The tests that LangChain gives for retrievers and vector stores, and what is particular to these."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from mnemograph_client import AsyncClient, Client, DocumentsRefused
from mnemograph_client.langchain import MemoryRetriever, MemoryVectorStore

from . import ADDRESS, KEY, LONG_PROMPT, SAID

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


class TestMemoryVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self) -> Iterator[VectorStore]:
        with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
            yield MemoryVectorStore(opened)


@pytest.fixture
def fresh() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
        yield opened


def test_a_vector_store_touches_its_own_documents_alone(fresh: Client) -> None:
    foreign = fresh.create_memory(
        content="a walrus of somebody else", policy="long_term", ttl_seconds=0, metadata={"_id": "one"}
    )
    store, other = MemoryVectorStore(fresh), MemoryVectorStore(fresh, collection="other")
    for each in (store, other):
        each.add_texts(["a walrus", "a seal"], ids=["one", "two"])
    for nothing in (None, "", [], [""]):
        if nothing is None:
            with pytest.raises(ValueError, match="call `clear`"):
                store.delete(nothing)
        else:
            store.delete(nothing)  # type: ignore[arg-type]
    assert len(store.get_by_ids(["one", "two"])) == 2
    store.delete(["one"])
    assert [each.id for each in store.similarity_search("walrus", k=10)] == ["two"]
    store.clear()
    assert store.similarity_search("walrus", k=10) == []
    assert len(other.similarity_search("walrus", k=10)) == 2
    assert fresh.get_memory(id=foreign["id"])["state"] == "active"


def test_filters_scores_and_retrievers(fresh: Client) -> None:
    metadatas: list[dict[str, Any]] = [
        {"year": 2025, "Due date": "soon", "tags": ["ice"], "left": None},
        {"year": 2026, "Due date": "later", "tags": ["sea"]},
    ]
    store = MemoryVectorStore.from_texts(["a walrus", "a walrus too"], metadatas=metadatas, client=fresh)
    for wanted in ({"year": 2026}, {"Due date": "later"}, {"tags": ["sea"]}, {"year": 2026, "tags": ["sea"]}):
        (found,) = store.similarity_search("walrus", filter=wanted)
        assert found.page_content == "a walrus too"
    assert [each.metadata["year"] for each in store.similarity_search("walrus", filter={"left": None})] == [2025]
    assert store.similarity_search("walrus", filter={"missing": None}) == []
    (found,) = store.similarity_search("walrus", filter=lambda document: document.metadata["year"] < 2026)
    assert found.metadata == metadatas[0]
    assert all(0 <= score <= 1 for _, score in store.similarity_search_with_relevance_scores("walrus"))
    assert len(store.as_retriever(search_kwargs={"k": 1}).invoke("walrus")) == 1


async def test_one_bad_document_among_300_is_named_and_the_others_are_stored(fresh: Client) -> None:
    store = MemoryVectorStore(fresh)
    texts = [f"walrus {number}" for number in range(300)]
    bad = {5: "a NUL \0", 117: "\ud800 alone", 204: "long " * 20_001}
    documents = [Document(id=f"d{at}", page_content=bad.get(at, text)) for at, text in enumerate(texts)]
    documents[250] = Document(id="d250", page_content="too much", metadata={"pages": ["x" * 20_000]})
    documents[251] = Document(id="d251", page_content="an object", metadata={"owner": object()})
    documents[252] = Document(id="d252", page_content="")
    with pytest.raises(DocumentsRefused, match="5 of 300 documents cannot be stored") as refused:
        await store.aadd_documents(documents)
    assert set(refused.value.refused) == {"d5", "d117", "d204", "d250", "d251"}
    assert "longer than 15500 characters" in refused.value.refused["d250"]
    assert len(refused.value.stored) == 295
    assert fresh.get_stats()["memories"]["total"] == 295
    assert [each.page_content for each in store.get_by_ids(["d252"])] == [""]
    with pytest.raises(DocumentsRefused):
        await store.aadd_documents(documents)
    assert fresh.get_stats()["memories"]["total"] == 295


def test_a_whole_prompt_is_a_question(fresh: Client) -> None:
    store = MemoryVectorStore.from_texts([SAID, "The tea is ready"], client=fresh)
    assert store.similarity_search(LONG_PROMPT, k=1)[0].page_content == SAID
    assert MemoryRetriever(client=fresh, k=1).invoke(LONG_PROMPT)[0].page_content == SAID
