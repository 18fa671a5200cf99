"""The graph in NetworkX, pandas, polars and numpy. Needs the extra `analysis`."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from mnemograph_client import Client, analysis

from . import ADDRESS, KEY

networkx = pytest.importorskip("networkx")
numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
        texts = ["Sourdough rests\nover night", "Rye needs sourdough", "Anchors need chains"]
        made = [
            opened.create_memory(
                content=text, policy="long_term", ttl_seconds=0, tags=["a;b", "c"], metadata={"page": at}
            )
            for at, text in enumerate(texts)
        ]
        opened.create_connection(
            source_id=made[1]["id"], target_id=made[0]["id"], relationship_type="caused_by", strength=0.25
        )
        opened.create_connection(
            source_id=made[1]["id"],
            target_id=made[0]["id"],
            relationship_type="supports",
            reason="The recipe says so.",
            valid_until="2024-01-01",
        )
        yield opened


def test_networkx_has_all_memories_and_connections_with_their_fields(client: Client) -> None:
    graph = analysis.to_networkx(client)
    assert sorted(data["content"] for _, data in graph.nodes(data=True)) == [
        "Anchors need chains",
        "Rye needs sourdough",
        "Sourdough rests\nover night",
    ]
    assert sorted((key, data["weight"]) for *_, key, data in graph.edges(keys=True, data=True)) == [
        ("caused_by", 0.25),
        ("supports", 1.0),
    ]
    assert {data["reason"]: data["valid_until"] for *_, data in graph.edges(data=True)} == {
        None: None,
        "The recipe says so.": "2024-01-01T00:00:00.000Z",
    }
    assert networkx.number_weakly_connected_components(graph) == 2
    rank = networkx.pagerank(graph)
    assert graph.nodes[max(rank, key=rank.get)]["content"].startswith("Sourdough")


def test_filters_choose_the_memories(client: Client) -> None:
    assert len(analysis.to_networkx(client, relationship_types=["supports"]).edges) == 1
    assert len(analysis.to_networkx(client, valid_at="now").edges) == 1
    assert len(analysis.to_networkx(client, tags=["none of them"])) == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_types(client: Client, library: str) -> None:
    memories, connections = analysis.to_frames(client, library=library)  # type: ignore[arg-type]
    assert len(memories) == 3
    assert len(connections) == 2
    assert list(memories["tags"][0]) == ["a;b", "c"]
    assert memories["metadata"][0] == '{"page": 0}'
    span = memories["created_at"].max() - memories["created_at"].min()
    assert span.total_seconds() >= 0
    assert str(memories["created_at"].max().tzinfo) == "UTC"
    assert set(connections["source_id"]) <= set(memories["id"])
    assert connections["valid_until"].max().isoformat() == "2024-01-01T00:00:00+00:00"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_nothing_have_the_same_columns(client: Client, library: str) -> None:
    some = analysis.to_frames(client, library=library)  # type: ignore[arg-type]
    none = analysis.to_frames(client, library=library, tags=["none of them"])  # type: ignore[arg-type]
    for one, other in zip(none, some, strict=True):
        assert len(one) == 0
        assert list(one.columns) == list(other.columns)


def test_embeddings_are_a_matrix_with_a_row_for_each_id(client: Client) -> None:
    ids, vectors = analysis.embeddings(client)
    assert vectors.dtype == numpy.float32
    assert vectors.shape[0] == len(ids) == 3
    fetched = client.get_memory(id=ids[0], include_embedding=True, record_recall=False)
    assert numpy.allclose(vectors[0], fetched["embedding"]["vector"])
    assert analysis.embeddings(client, tags=["none of them"]).vectors.shape == (0, 0)
