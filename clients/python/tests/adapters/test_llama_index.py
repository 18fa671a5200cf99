"""The vector store with an index of LlamaIndex: documents come in, nodes come out."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID, uuid4

import pytest
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, Node, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from mnemograph_client import Client, DocumentsRefused
from mnemograph_client.llama_index import MemoryVectorStore

from . import ADDRESS, KEY, LONG_PROMPT, SAID


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
    later = MetadataFilter(key="year", value=2025, operator=FilterOperator.GT)
    (found,) = store.get_nodes(filters=MetadataFilters(filters=[later]))
    assert found.metadata["year"] == 2026
    either = [MetadataFilter(key="year", value=[1999, 2025], operator=FilterOperator.IN), later]
    assert len(store.get_nodes(filters=MetadataFilters(filters=either, condition=FilterCondition.OR))) == 2  # type: ignore[arg-type]
    asked = VectorStoreQuery(query_str="tea", similarity_top_k=5, filters=MetadataFilters(filters=[later]))
    assert [node.get_content() for node in store.query(asked).nodes or []] == ["A walrus rests on the ice"]
    with pytest.raises(ValueError, match="query_str"):
        store.query(VectorStoreQuery(query_embedding=[1.0]))
    with pytest.raises(ValueError, match="mmr"):
        store.query(VectorStoreQuery(query_str="tea", mode=VectorStoreQueryMode.MMR))

    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="year", value=2025)]))
    assert [node.get_content() for node in store.get_nodes()] == ["A walrus rests on the ice"]


def foreign(client: Client) -> str:
    """A memory that no store has made, which looks like a node."""
    made = client.create_memory(
        content="The walrus of somebody else",
        policy="long_term",
        ttl_seconds=0,
        source="zoo",
        metadata={"_id": "n1", "year": 2026},
    )
    return made["id"]


def test_a_store_changes_its_own_nodes_alone_and_never_all_by_an_empty_value(client: Client) -> None:
    memory_id = foreign(client)
    store = MemoryVectorStore(client)
    store.add([TextNode(id_="n1", text="A walrus", metadata={"year": 2026}), TextNode(id_="n2", text="A seal")])
    for nothing in (None, ""):
        with pytest.raises(ValueError, match="call `clear`"):
            store.delete(nothing)  # type: ignore[arg-type]
    for empty in (None, MetadataFilters(filters=[])):
        with pytest.raises(ValueError, match="call `clear`"):
            store.delete_nodes(filters=empty)
    store.delete_nodes([])
    store.delete_nodes([], filters=MetadataFilters(filters=[MetadataFilter(key="year", value=2026)]))
    store.delete_nodes(["never there", ""])
    store.delete("zoo")
    store.delete("never there")
    assert [node.node_id for node in store.get_nodes()] == ["n1", "n2"]
    assert store.get_nodes([]) == []
    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="year", value=2026)]))
    assert [node.node_id for node in store.get_nodes()] == ["n2"]
    other = MemoryVectorStore(client, collection="other")
    other.add([TextNode(id_="n2", text="A seal of another")])
    store.clear()
    assert store.get_nodes() == []
    assert [node.get_content() for node in other.get_nodes()] == ["A seal of another"]
    assert client.get_memory(id=memory_id)["state"] == "active"


def test_a_node_that_is_indexed_twice_is_one_node(client: Client) -> None:
    store = MemoryVectorStore(client)
    for text in ("The tea is ready", "The tea is cold", "The tea is cold"):
        store.add([TextNode(id_="n9", text=text, metadata={"text": text}), TextNode(id_="n9", text=text)])
        (node,) = store.get_nodes(["n9", "n9"])
        assert (node.get_content(), node.metadata) == (text, {})
    assert client.get_stats()["memories"]["total"] == 1
    (memory,) = client.list_memories()["memories"]
    assert memory["version"] == 2
    store.add([TextNode(id_="n9", text="The tea is cold", metadata={"cups": 2})])
    assert store.get_nodes(["n9"])[0].metadata == {"cups": 2}
    long_id = "n" * 300
    for _ in range(2):
        store.add([TextNode(id_=long_id, text="A long name"), TextNode(id_="Zürich: #1", text="A name")])
    assert {node.node_id for node in store.get_nodes([long_id, "Zürich: #1"])} == {long_id, "Zürich: #1"}
    assert len(store.get_nodes()) == 3


METADATA: list[dict[Any, Any]] = [
    {"none": None, "list": [1, None, "a"], "nested": {"a": {"b": [1.5]}}, "empty": {}, "blank": ""},
    {"day": date(2026, 11, 20), "at": datetime(2026, 11, 20, 10, tzinfo=UTC), "naive": datetime(2026, 1, 1)},
    {"long": "long " * 800, "window": "日本語" * 400, "nul": "a\0b", "surrogate": "\ud800"},
    {"Due date": "soon", "预算": 3, "x-Due-20-date": 1, "x-request-id": "a", "__proto__": "p", "_id": 1, "_rest.0": 2},
    {"": "empty key", "k" * 100: 1, "Ä" * 30: 2, "cafe\u0301": "e\u0301", "café": "é"},
    {"big": 2**60, "huge": 1e300, "negative": -3, "true": True, "zero": 0, "one": 1.0},
    {"id": UUID(int=5), "price": Decimal("9.50"), "path": PurePosixPath("a/b"), "set": {"a"}, "tuple": (1, (2,))},
    {"$type": {"$type": "date", "value": "x"}, "bytes": b"\0\xff", "deep": [{"$type": 1}]},
    {f"key {number}": number for number in range(100)},
    {f"text{number}": "x" * 400 for number in range(31)},
]


@pytest.mark.parametrize("metadata", METADATA, ids=lambda each: str(next(iter(each))))
def test_metadata_of_any_form_come_back(client: Client, metadata: dict[str, Any]) -> None:
    store = MemoryVectorStore(client)
    store.add([TextNode(id_="n1", text="A walrus", metadata=metadata)])
    (node,) = store.get_nodes(["n1"])
    assert node.metadata == metadata
    assert {key: type(each) for key, each in node.metadata.items() if key != "one"} == {
        key: type(each) for key, each in metadata.items() if key != "one"
    }


def test_other_texts_and_kinds_of_nodes_come_back(client: Client) -> None:
    store = MemoryVectorStore(client)
    document = Document(text="Walruses rest on the ice. " * 60, doc_id="zoo", metadata={"kind": "note"})
    nodes: list[BaseNode] = list(SentenceSplitter(chunk_size=80, chunk_overlap=0).get_nodes_from_documents([document]))
    nodes += [TextNode(id_="empty", text=""), TextNode(id_="blank", text=" \n"), Node(id_="node")]
    nodes += [IndexNode(id_="index", text="See the zoo", index_id="zoo", excluded_llm_metadata_keys=["a"])]
    nodes[-2].set_content("A node of the new kind")
    store.add(nodes)
    found = {node.node_id: node for node in store.get_nodes()}
    for node in nodes:
        back = found[node.node_id]
        assert type(back) is type(node) and back.get_content() == node.get_content()
        assert back.hash == node.hash and back.ref_doc_id == node.ref_doc_id
        for kind, related in node.relationships.items():
            assert back.relationships[kind].node_id == related.node_id  # type: ignore[union-attr]
    assert isinstance(found["index"], IndexNode) and found["index"].index_id == "zoo"


async def test_one_bad_node_among_60_is_named_and_the_others_are_stored(client: Client) -> None:
    store = MemoryVectorStore(client)
    nodes = [TextNode(id_=f"n{number}", text=f"walrus {number}") for number in range(60)]
    nodes[30] = TextNode(id_="n30", text="a NUL \0")
    with pytest.raises(DocumentsRefused, match="1 of 60 documents cannot be stored. 'n30': ") as refused:
        await store.async_add(nodes)
    assert list(refused.value.refused) == ["n30"] and len(refused.value.stored) == 59
    assert len(await store.aget_nodes()) == 59
    await store.adelete_nodes(["n1"])
    await store.aclear()
    assert await store.aget_nodes() == []


def test_a_document_that_is_refreshed_replaces_its_nodes(client: Client) -> None:
    index = VectorStoreIndex.from_documents(
        DOCUMENTS,
        storage_context=StorageContext.from_defaults(vector_store=MemoryVectorStore(client)),
        embed_model=MockEmbedding(embed_dim=1),
    )
    index.update_ref_doc(Document(text="The walrus swims", doc_id="zoo"))
    assert sorted(memory["content"] for memory in client.list_memories()["memories"]) == [
        "The tea is ready",
        "The walrus swims",
    ]


def test_a_whole_prompt_is_a_question(client: Client) -> None:
    store = MemoryVectorStore(client)
    store.add([TextNode(text=SAID), TextNode(text="The tea is ready")])
    (found,) = store.query(VectorStoreQuery(query_str=LONG_PROMPT, similarity_top_k=1)).nodes or []
    assert found.get_content(MetadataMode.NONE) == SAID
