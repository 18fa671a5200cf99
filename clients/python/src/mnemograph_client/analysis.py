"""A graph in the tools of analysts: `pip install "mnemograph-client[analysis]"`.

Every function takes the filters of `export_graph`, such as `tags=["checkout"]` or `community="c0b1d64ce2a97f35"`, and
reads the matching memories with the connections between them, once, while the service sends them.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from . import models
from ._sync.client import Client

if TYPE_CHECKING:
    import networkx
    import numpy

TIMES_OF_MEMORIES = (
    "valid_from",
    "valid_until",
    "last_recalled_at",
    "expires_at",
    "archived_at",
    "created_at",
    "updated_at",
)
TIMES_OF_CONNECTIONS = ("created_at", "valid_from", "valid_until")


class Frames(NamedTuple):
    """Two tables: a row for each memory, by `id`, and one for each connection, by `source_id` and `target_id`."""

    memories: Any
    connections: Any


class Embeddings(NamedTuple):
    """The memories that have a vector, and their vectors as rows of a matrix of 32-bit floats, in the same order."""

    ids: list[str]
    vectors: "numpy.ndarray[Any, Any]"


def to_networkx(client: Client, **filters: Any) -> "networkx.MultiDiGraph[str]":
    """The graph for NetworkX. A node has the fields of its memory, an edge has its type as key and a `weight`, which is
    1 where no strength was given.
    """
    import networkx

    graph = networkx.MultiDiGraph()
    for record in _records(client, filters):
        if record.pop("record") == "memory":
            graph.add_node(record.pop("id"), **_without_embedding(record))
        else:
            ends = record.pop("source_id"), record.pop("target_id")
            weight = 1.0 if record["strength"] is None else record["strength"]
            graph.add_edge(*ends, key=record["relationship_type"], weight=weight, **record)
    return graph


def to_frames(client: Client, library: Literal["pandas", "polars"] = "pandas", **filters: Any) -> Frames:
    """The graph as two tables. Times are times in UTC, `tags` is a list, and `metadata` is a JSON text."""
    memories: list[dict[str, Any]] = []
    connections: list[dict[str, Any]] = []
    for record in _records(client, filters):
        if record.pop("record") == "memory":
            memories.append({**_without_embedding(record), "metadata": json.dumps(record["metadata"])})
        else:
            connections.append(record)
    frame = _pandas if library == "pandas" else _polars
    return Frames(
        frame(memories, _columns(models.Memory, "embedding"), TIMES_OF_MEMORIES),
        frame(connections, ["source_id", *_columns(models.ConnectionFields)], TIMES_OF_CONNECTIONS),
    )


def embeddings(client: Client, **filters: Any) -> Embeddings:
    """The vectors of the memories in the space that is searched now."""
    import numpy

    ids: list[str] = []
    rows: list[Any] = []
    for record in _records(client, {**filters, "vectors": True}):
        vector = record.get("embedding", {}).get("vector")
        if vector is not None:
            ids.append(record["id"])
            rows.append(numpy.asarray(vector, dtype=numpy.float32))
    return Embeddings(ids, numpy.stack(rows) if rows else numpy.empty((0, 0), dtype=numpy.float32))


def _records(client: Client, filters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of an export, of which a piece can have many or a part of one."""
    rest = ""
    for piece in client.export_graph(**cast(models.ExportGraphInput, {**filters, "format": "ndjson"})):
        *lines, rest = (rest + piece).split("\n")
        for line in lines:
            yield json.loads(line)


def _without_embedding(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "embedding"}


def _columns(record: Any, *left_out: str) -> list[str]:
    return [name for name in record.__annotations__ if name not in left_out]


def _pandas(rows: list[dict[str, Any]], columns: list[str], times: tuple[str, ...]) -> Any:
    import pandas

    frame = pandas.DataFrame(rows, columns=columns)
    for name in times:
        frame[name] = pandas.to_datetime(frame[name], utc=True, format="ISO8601")
    return frame


def _polars(rows: list[dict[str, Any]], columns: list[str], times: tuple[str, ...]) -> Any:
    import polars

    frame = polars.DataFrame(schema=dict.fromkeys(columns, polars.String))
    if rows:
        whole = [{name: row.get(name) for name in columns} for row in rows]
        frame = polars.DataFrame(whole, infer_schema_length=None)
    return frame.with_columns(
        polars.col(name).cast(polars.String).str.to_datetime(time_zone="UTC", time_unit="ms") for name in times
    )
