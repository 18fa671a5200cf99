"""Calls a running service: the address, key and tenant come from the environment."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from pytest import fixture

from mnemograph_client import Client, ProblemError, ServiceUnreachable, models

ADDRESS = os.environ["MNEMOGRAPH_TEST_URL"]
KEY = os.environ["MNEMOGRAPH_TEST_KEY"]


@fixture
def client() -> Iterator[Client]:
    with Client(ADDRESS, KEY, tenant=f"python-{uuid4()}") as opened:
        yield opened


def memory(content: str, **fields: Any) -> models.NewMemory:
    return cast(models.NewMemory, {"content": content, "policy": "long_term", "ttl_seconds": 0, **fields})


def test_a_memory_from_its_beginning_to_its_end(client: Client) -> None:
    made = client.create_memory(**memory("Tea is made with hot water", tags=["tea"], metadata={"cups": 2}))
    assert made["tags"] == ["tea"]
    changed = client.update_memory(id=made["id"], importance=1, session_id="s", if_version=made["version"])
    assert (changed["version"], changed["session_id"]) == (2, "s")
    assert (client.update_memory(id=made["id"], source="a book"))["source"] == "a book"
    found = client.get_memory(id=made["id"], record_recall=False, include_fades_at=True)
    assert found["metadata"] == {"cups": 2}
    history = client.get_memory_history(id=made["id"], limit=1)
    assert history["versions"][0]["version"] == 3
    assert (client.revert_memory(id=made["id"], version=1))["importance"] == made["importance"]
    client.delete_memory(id=made["id"])
    assert (client.restore_memory(id=made["id"]))["state"] == "active"
    client.delete_memory(id=made["id"], hard=True)
    with pytest.raises(ProblemError) as refused:
        client.get_memory(id=made["id"])
    assert (refused.value.status, refused.value.code) == (404, "memory_not_found")
    assert refused.value.problem["request_id"] == refused.value.headers["x-request-id"]


def test_a_create_that_is_repeated_happens_once(client: Client) -> None:
    key = str(uuid4())
    first = client.create_memory(**memory("once"), idempotency_key=key)
    assert (client.create_memory(**memory("once"), idempotency_key=key))["id"] == first["id"]
    again = client.create_memory(**memory("once", on_duplicate="return"))
    assert again["duplicate_of"] == first["id"]


def test_searches_lists_and_contexts(client: Client) -> None:
    texts = [f"Note {number} about walruses" for number in range(7)]
    batch = client.create_memories(memories=[memory(text, source="notes") for text in texts])
    assert len(batch["memories"]) == 7
    found = client.search_memories(query="walruses", search_type="hybrid", limit=3, tags=[])
    assert len(found["results"]) == 3
    results = [each for each in client.iter_results(query="walruses", search_type="keyword", limit=3)]
    assert len({result["memory"]["id"] for result in results}) == 7
    listed = [each for each in client.iter_memories(limit=3, source="notes", order="asc")]
    assert [each["content"] for each in listed] == texts
    assert (client.list_memories(metadata={"none": True}))["memories"] == []
    assert "walruses" in (client.compose_context(query="walruses", max_tokens=200))["text"]
    assert (client.list_sources())["values"][0]["value"] == "notes"
    assert (client.list_tags())["values"] == []
    assert (client.list_sessions(prefix="x"))["values"] == []
    assert (client.get_stats())["memories"]["total"] == 7


def test_connections_and_the_graph(client: Client) -> None:
    batch = client.create_memories(memories=[memory(text) for text in ("one", "two", "three")])
    one, two, three = [each["id"] for each in batch["memories"]]
    client.create_connection(source_id=one, target_id=two, relationship_type="supports", strength=0.5)
    client.create_connections(
        connections=[
            {"source_id": two, "target_id": three, "relationship_type": "contradicts"},
            {"source_id": one, "target_id": three, "relationship_type": "references"},
        ]
    )
    assert (client.list_connections(relationship_type="supports"))["total"] == 1
    related = client.related_memories(id=one, depth=2)
    assert {each["memory"]["id"] for each in related["related"]} == {two, three}
    assert (client.find_path(source_id=one, target_id=three))["paths"]
    assert len((client.list_conflicts())["conflicts"]) == 1
    client.resolve_conflict(keep_id=two, archive_id=three, reason="two is newer")
    client.delete_connection(source_id=one, target_id=two, relationship_type="supports")
    exported = "".join([text for text in client.export_graph(format="graphml")])
    assert exported.startswith("<?xml")


def test_policies_maintenance_and_erasure(client: Client) -> None:
    client.create_memory(**memory("to forget", source="old"))
    client.put_policy(name="notes", health_decay=1)
    assert "notes" in [each["name"] for each in (client.list_policies())["policies"]]
    client.delete_policy(name="notes")
    plan = client.plan_maintenance(kind="forget", filters={"source": "old"})
    assert plan["plan_id"] is not None
    run = client.apply_maintenance(id=plan["plan_id"])
    assert (client.get_maintenance_run(id=run["run_id"]))["state"] == "applied"
    client.undo_maintenance(id=run["run_id"])
    assert len((client.list_maintenance_runs())["runs"]) >= 1
    receipt = client.erase_memories(filters={"source": "old"})
    assert receipt["counts"]["memories"] == 1
    assert receipt["id"] is not None
    assert (client.get_erasure(id=receipt["id"]))["complete"]


def test_a_bundle_there_and_back(client: Client) -> None:
    client.create_memory(**memory("in the bundle"))
    text = "".join([piece for piece in client.export_bundle(vectors=False)])
    lines = [line for line in text.splitlines() if '"checkpoint"' not in line]
    answer = client.import_bundle(lines=lines)
    assert (answer["done"], answer["totals"]["memories"]["unchanged"]) == (True, 1)


def test_what_the_operator_does(client: Client) -> None:
    tenant = f"python-keys-{uuid4()}"
    with Client(ADDRESS, KEY, tenant=tenant) as owner:
        key = owner.create_key(scopes=["read"], name="reader")
        with Client(ADDRESS, key["key"]) as reader:
            with pytest.raises(ProblemError, match="scope"):
                reader.create_memory(**memory("not allowed"))
        owner.delete_key(id=key["id"])
        entries = (owner.list_audit())["entries"]
        assert [each["operation"] for each in entries] == ["deleteKey", "createKey"]
    assert isinstance((client.list_keys())["keys"], list)
    assert (client.list_jobs(limit=1))["jobs"] == []
    client.retry_jobs()
    client.resume_queue()
    client.rediscover_memories()
    assert (client.list_embedding_spaces())["spaces"]
    assert (client.list_tenants(limit=1))["tenants"]
    client.erase_tenant(tenant=tenant)
    assert (client.get_health())["status"] == "ok"
    assert "checks" in client.get_readiness()
    assert "paths" in client.get_open_api()


def test_changes_are_followed(client: Client) -> None:
    start = client.list_changes(from_="now")
    made = client.create_memory(**memory("followed"))
    for change in client.follow_changes(after=start["next_cursor"], kinds=["created"]):
        assert (change["kind"], change["memory_id"]) == ("created", made["id"])
        break
    with pytest.raises(ProblemError, match="ursor"):
        for _ in client.follow_changes(after="nonsense"):
            pass


def test_a_stream_that_ends_is_continued_after_the_last_change() -> None:
    streams = [
        'event: created\ndata: {"cursor": "a"}\nid: a\n\n: so far\nid: b\n\nevent: error\ndata: {"code": "x"}\n\n',
        'event: created\ndata: {"cursor": "c"}\nid: c\n\n',
    ]
    asked = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get("after"))
        if not streams:
            return httpx.Response(401, json={"code": "unauthorized", "title": "Unauthorized"})
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=streams.pop(0))

    seen = []
    with Client("http://service", transport=httpx.MockTransport(handle)) as client:
        with pytest.raises(ProblemError, match="Unauthorized"):
            for change in client.follow_changes(after="start"):
                seen.append(change["cursor"])
    assert (seen, asked) == (["a", "c"], ["start", "b", "c"])


def test_input_that_is_wrong_names_the_field(client: Client) -> None:
    with pytest.raises(ProblemError) as refused:
        client.create_memory(content="", policy="long_term", ttl_seconds=-1)
    assert {each["pointer"] for each in refused.value.problem["errors"]} == {"/content", "/ttl_seconds"}


def failing(*answers: int | None) -> tuple[Callable[[httpx.Request], httpx.Response], list[httpx.Request]]:
    """A service that answers with these statuses and then well. None is no answer."""
    left, seen = list(answers), []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        status = left.pop(0) if left else 200
        if status is None:
            raise httpx.ConnectError("nothing listens there")
        return httpx.Response(status, headers={"retry-after": "0"}, text=json.dumps({"status": "ok"}))

    return handle, seen


def test_reads_and_creates_are_repeated_and_other_writes_only_when_refused() -> None:
    handle, seen = failing(503, None, 429)
    with Client("http://service", transport=httpx.MockTransport(handle)) as client:
        client.create_memory(**memory("text"), wait=2.5)
        assert [request.headers["prefer"] for request in seen] == ["wait=2.5"] * 4
        assert len({request.headers["idempotency-key"] for request in seen}) == 1
    handle, seen = failing(429, 503)
    with Client("http://service", transport=httpx.MockTransport(handle)) as client:
        with pytest.raises(ProblemError):
            client.update_memory(id="an-id", importance=1)
        assert len(seen) == 2
    handle, _ = failing(None, None)
    with Client("http://service", transport=httpx.MockTransport(handle), retries=1) as client:
        with pytest.raises(ServiceUnreachable, match="http://service/api/v1 cannot be reached: nothing listens there"):
            client.get_stats()
