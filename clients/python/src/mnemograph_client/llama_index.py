"""A vector store of LlamaIndex whose nodes are memories: `pip install "mnemograph-client[llama-index]"`."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, ImageNode, IndexNode, MetadataMode, Node, TextNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from . import models
from ._collection import Collection, Entry, entry_in
from ._metadata import entry_of
from ._sync.client import Client

KINDS: dict[str, type[BaseNode]] = {kind.class_name(): kind for kind in (Node, TextNode, ImageNode, IndexNode)}
KEPT_APART = {"id_", "metadata", "embedding", "text", "text_resource"}

SEARCH_TYPES: dict[VectorStoreQueryMode, Any] = {
    VectorStoreQueryMode.DEFAULT: "semantic",
    VectorStoreQueryMode.SEMANTIC_HYBRID: "hybrid",
    VectorStoreQueryMode.HYBRID: "hybrid",
    VectorStoreQueryMode.SPARSE: "keyword",
    VectorStoreQueryMode.TEXT_SEARCH: "keyword",
}


class MemoryVectorStore(BasePydanticVectorStore):
    """A node is a memory: its text is the content, the id of its document the `source`, and its id, metadata and
    relationships are kept with it. The service makes the vectors, so LlamaIndex needs no model for this store.

    Adding a node with a known id changes it. A store reads and changes the nodes of its `collection` only.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    policy: str = "long_term"
    collection: str = "llama_index"
    _client: Client = PrivateAttr()
    _nodes: Collection = PrivateAttr()

    def __init__(self, client: Client, *, policy: str = "long_term", collection: str = "llama_index") -> None:
        super().__init__(  # type: ignore[call-arg]
            stores_text=True, is_embedding_query=False, policy=policy, collection=collection
        )
        self._client = client
        self._nodes = Collection(client, collection, policy)

    @classmethod
    def class_name(cls) -> str:
        return "MnemographMemoryVectorStore"

    @property
    def client(self) -> Client:
        return self._client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Raises DocumentsRefused, which names each node that cannot be stored, after it has stored the others."""
        self._nodes.put(_entry_of(node) for node in nodes)
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Archives the nodes of a document."""
        if not ref_doc_id:
            raise ValueError("Name the document whose nodes to delete. To delete all, call `clear`.")
        for memory in list(self._nodes.all(source=ref_doc_id)):
            self._client.delete_memory(id=memory["id"])

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Archives the nodes that have one of these ids, and pass the filters."""
        if node_ids is None and not (filters and filters.filters):
            raise ValueError("Name the nodes to delete, by ids or filters. To delete all, call `clear`.")
        self._nodes.delete([node.node_id for node in self.get_nodes(node_ids, filters)])

    def clear(self) -> None:
        """Archives all nodes of the collection."""
        self._nodes.clear()

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Without ids and filters, all nodes of the collection."""
        memories = (
            self._nodes.all(metadata=_narrowed(filters)) if node_ids is None else self._nodes.get(_listed(node_ids))
        )
        nodes = {node.node_id: node for node in map(_node_of, memories)}
        passes = build_metadata_filter_fn(lambda each: nodes[each].metadata, filters)
        return [node for node_id, node in nodes.items() if passes(node_id)]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if not query.query_str:
            raise ValueError("The store searches by the text of a query, `query_str`: the service makes the vectors.")
        if query.mode not in SEARCH_TYPES:
            raise ValueError(f"The store has no search of the mode {query.mode.value}.")
        found: dict[str, tuple[BaseNode, float]] = {}
        passes = build_metadata_filter_fn(lambda each: found[each][0].metadata, query.filters)
        for result in self._nodes.search(
            query.query_str,
            SEARCH_TYPES[query.mode],
            query.similarity_top_k,
            metadata=_narrowed(query.filters),
        ):
            node = _node_of(result["memory"])
            found[node.node_id] = (node, result["score"])
            if not (_is_among(node, query) and passes(node.node_id)):
                del found[node.node_id]
            if len(found) >= query.similarity_top_k:
                break
        nodes, scores = [node for node, _ in found.values()], [score for _, score in found.values()]
        return VectorStoreQueryResult(nodes=nodes, similarities=scores, ids=list(found))

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        await asyncio.to_thread(self.delete, ref_doc_id, **delete_kwargs)

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        await asyncio.to_thread(self.delete_nodes, node_ids, filters, **delete_kwargs)

    async def aclear(self) -> None:
        await asyncio.to_thread(self.clear)

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return await asyncio.to_thread(self.query, query, **kwargs)


def _entry_of(node: BaseNode) -> Entry:
    """With all that is not the default, but without vectors and the metadata of related nodes, which those have."""
    own = node.model_dump(mode="json", exclude_defaults=True, exclude=KEPT_APART)
    for related in own.get("relationships", {}).values():
        for each in related if isinstance(related, list) else [related]:
            each.pop("metadata", None)
    return Entry(node.node_id, node.get_content(MetadataMode.NONE), node.metadata, node.ref_doc_id, own)


def _node_of(memory: models.Memory) -> BaseNode:
    entry = entry_in(memory)
    kind = KINDS.get(str(entry.own.get("class_name")), TextNode)
    node = kind.from_dict({**entry.own, "id_": entry.id, "metadata": entry.metadata})
    node.set_content(entry.text)
    return node


def _is_among(node: BaseNode, query: VectorStoreQuery) -> bool:
    """An index of LlamaIndex without a list of its nodes gives an empty one."""
    by_node = not query.node_ids or node.node_id in query.node_ids
    return by_node and (not query.doc_ids or node.ref_doc_id in query.doc_ids)


def _narrowed(filters: MetadataFilters | None) -> dict[str, Any]:
    """What the service can filter by: all others are compared here."""
    if filters is None or filters.condition not in (None, FilterCondition.AND):
        return {}
    equal = [
        each for each in filters.filters if isinstance(each, MetadataFilter) and each.operator == FilterOperator.EQ
    ]
    return dict(entry for each in equal if (entry := entry_of(each.key, each.value)))


def _listed(node_ids: list[str] | str) -> list[str]:
    return [node_ids] if isinstance(node_ids, str) else node_ids
