"""The vector store with an index of LlamaIndex: documents come in, nodes come out."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from mnemograph_client import Client
from mnemograph_client.llama_index import MemoryVectorStore

from . import ADDRESS, KEY


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
        yield opened


DOCUMENTS = [
    Document(text="A walrus rests on the ice", doc_id="zoo", metadata={"year": 2026, "kind": "note"}),
    Document(text="The tea is ready", doc_id="kitchen", metadata={"year": 2025, "kind": "note"}),
]


def test_an_index_finds_its_documents_and_forgets_them(client: Client) -> None:
    store = MemoryVectorStore(client)
    index = VectorStoreIndex.from_documents(
        DOCUMENTS,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=MockEmbedding(embed_dim=1),
    )
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("walrus ice")
    assert found.node.get_content() == "A walrus rests on the ice"
    assert (found.node.ref_doc_id, found.node.metadata) == ("zoo", {"year": 2026, "kind": "note"})
    assert found.score is not None and found.score > 0
    assert store.get_nodes([found.node.node_id])[0].node_id == found.node.node_id
    (memory,) = client.list_memories(source="zoo")["memories"]
    assert memory["content"] == "A walrus rests on the ice"

    index.delete_ref_doc("zoo")
    assert client.list_memories(source="zoo")["memories"] == []
    assert len(store.get_nodes()) == 1


def test_modes_and_filters(client: Client) -> None:
    store = MemoryVectorStore(client)
    VectorStoreIndex.from_documents(
        DOCUMENTS,
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=MockEmbedding(embed_dim=1),
    )

    def texts(query: str, mode: VectorStoreQueryMode, **filters: int) -> list[str]:
        wanted = MetadataFilters(filters=[MetadataFilter(key=key, value=value) for key, value in filters.items()])
        asked = VectorStoreQuery(query_str=query, similarity_top_k=5, mode=mode, filters=wanted)
        return [node.get_content() for node in store.query(asked).nodes or []]

    assert texts("tea", VectorStoreQueryMode.TEXT_SEARCH) == ["The tea is ready"]
    assert texts("tea", VectorStoreQueryMode.TEXT_SEARCH, year=2026) == []
    assert texts("walrus", VectorStoreQueryMode.HYBRID, year=2026) == ["A walrus rests on the ice"]
    with pytest.raises(ValueError, match="equality"):
        later = MetadataFilter(key="year", value=2025, operator=FilterOperator.GT)
        store.get_nodes(filters=MetadataFilters(filters=[later]))
    with pytest.raises(ValueError, match="query_str"):
        store.query(VectorStoreQuery(query_embedding=[1.0]))
    with pytest.raises(ValueError, match="mmr"):
        store.query(VectorStoreQuery(query_str="tea", mode=VectorStoreQueryMode.MMR))

    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="year", value=2025)]))
    assert [node.get_content() for node in store.get_nodes()] == ["A walrus rests on the ice"]
