"""A vector store of LlamaIndex whose nodes are memories: `pip install "mnemograph-client[llama-index]"`."""

from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
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

from . import models
from ._sync.client import Client

NODE_ID = "llama_index_node"
BATCH = 100

SEARCH_TYPES: dict[VectorStoreQueryMode, Any] = {
    VectorStoreQueryMode.DEFAULT: "semantic",
    VectorStoreQueryMode.SEMANTIC_HYBRID: "hybrid",
    VectorStoreQueryMode.HYBRID: "hybrid",
    VectorStoreQueryMode.SPARSE: "keyword",
    VectorStoreQueryMode.TEXT_SEARCH: "keyword",
}


class MemoryVectorStore(BasePydanticVectorStore):
    """A node is a memory: its text is the content, the id of its document the `source`, and both have the same metadata.
    The service makes the vectors, so LlamaIndex needs no model for this store.

    Metadata must be texts, numbers or booleans. Filters compare for equality, all of them together.
    """

    stores_text: bool = True
    is_embedding_query: bool = False
    policy: str = "long_term"
    _client: Client = PrivateAttr()

    def __init__(self, client: Client, *, policy: str = "long_term") -> None:
        super().__init__(stores_text=True, is_embedding_query=False, policy=policy)  # type: ignore[call-arg]
        self._client = client

    @classmethod
    def class_name(cls) -> str:
        return "MnemographMemoryVectorStore"

    @property
    def client(self) -> Client:
        return self._client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        for at in range(0, len(nodes), BATCH):
            memories = [self._memory_of(node) for node in nodes[at : at + BATCH]]
            self._client.create_memories(memories=memories)
        return [node.node_id for node in nodes]

    def _memory_of(self, node: BaseNode) -> models.NewMemory:
        memory: dict[str, Any] = {
            "content": node.get_content(metadata_mode=MetadataMode.NONE),
            "policy": self.policy,
            "ttl_seconds": 0,
            "metadata": {**node.metadata, NODE_ID: node.node_id},
        }
        if node.ref_doc_id:
            memory["source"] = node.ref_doc_id
        return cast(models.NewMemory, memory)

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Archives the memories of a document."""
        for memory in list(self._client.iter_memories(source=ref_doc_id)):
            self._client.delete_memory(id=memory["id"])

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        for memory in self._listed(node_ids, filters):
            self._client.delete_memory(id=memory["id"])

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        return [_node_of(memory) for memory in self._listed(node_ids, filters)]

    def _listed(self, node_ids: list[str] | None, filters: MetadataFilters | None) -> list[models.Memory]:
        wanted = _metadata_of(filters)
        if node_ids is None:
            return list(self._client.iter_memories(metadata=wanted))
        return [
            memory for each in node_ids for memory in self._client.iter_memories(metadata={**wanted, NODE_ID: each})
        ]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if not query.query_str:
            raise ValueError("The store searches by the text of a query, `query_str`: the service makes the vectors.")
        if query.mode not in SEARCH_TYPES:
            raise ValueError(f"The store has no search of the mode {query.mode.value}.")
        found = self._client.search_memories(
            query=query.query_str,
            search_type=SEARCH_TYPES[query.mode],
            limit=query.similarity_top_k,
            metadata=_metadata_of(query.filters),
        )
        nodes = [_node_of(result["memory"]) for result in found["results"]]
        scores = [result["score"] for result in found["results"]]
        return VectorStoreQueryResult(nodes=nodes, similarities=scores, ids=[node.node_id for node in nodes])


def _node_of(memory: models.Memory) -> BaseNode:
    metadata = dict(memory["metadata"])
    node_id = str(metadata.pop(NODE_ID, memory["id"]))
    source = memory["source"]
    related: dict[NodeRelationship, Any] = (
        {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)} if source is not None else {}
    )
    return TextNode(id_=node_id, text=memory["content"], metadata=metadata, relationships=related)


def _metadata_of(filters: MetadataFilters | None) -> dict[str, Any]:
    if filters is None:
        return {}
    if filters.condition not in (None, FilterCondition.AND):
        raise ValueError("The store combines filters by AND only.")
    return dict(_equal_to(each) for each in filters.filters)


def _equal_to(each: MetadataFilter | MetadataFilters) -> tuple[str, Any]:
    if not isinstance(each, MetadataFilter) or each.operator != FilterOperator.EQ:
        raise ValueError("The store compares metadata for equality only.")
    return each.key, each.value
