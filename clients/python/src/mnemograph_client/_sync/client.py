"""The client, by hand: how operations are called, and what spans several of them."""

from collections.abc import Iterator
from time import sleep
from types import TracebackType
from typing import Any, Self, Unpack

import httpx
from httpx_sse import EventSource

from .. import models
from .._connection import connection_to
from .._json import as_fields
from .._shared import (
    Operation,
    answer_of,
    headers_of,
    pause_after,
    pause_before_retry,
    problem_of,
    query_of,
    request_of,
    unreachable,
)
from .operations import Operations

# The service says something every 15 seconds.
IDLE_SECONDS = 60.0


class Client(Operations):
    """A client of the service at `address`, for instance `http://127.0.0.1:4545`.

    `tenant` is for the operator key only. Calls that read or create are repeated up to `retries` times when the
    service cannot answer; a create happens once. White space around the key is left out, as files end with it. Proxies
    are those of the environment, and none for this machine. Raises ProblemError when the service refuses or fails, and
    ServiceUnreachable when no answer comes.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:4545",
        api_key: str | None = None,
        *,
        tenant: str | None = None,
        timeout: float = 60.0,
        retries: int = 3,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._connection, options = connection_to(address, api_key, tenant, transport)
        self.base_url = self._connection.base_url
        self._retries = retries
        self._http = httpx.Client(timeout=timeout, **options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. `with` does it at its end."""
        self._http.close()

    def iter_memories(self, **fields: Unpack[models.ListMemoriesInput]) -> Iterator[models.Memory]:
        """All memories that `list_memories` finds, page by page."""
        while True:
            page = self.list_memories(**fields)
            for memory in page["memories"]:
                yield memory
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_results(self, **fields: Unpack[models.SearchMemoriesInput]) -> Iterator[models.SearchResult]:
        """All results of a search, page by page, at most 1,000."""
        while True:
            page = self.search_memories(**fields)
            for result in page["results"]:
                yield result
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_connections(self, **fields: Unpack[models.ListConnectionsInput]) -> Iterator[models.Connection]:
        """All connections that `list_connections` finds, page by page."""
        while True:
            page = self.list_connections(**fields)
            for connection in page["connections"]:
                yield connection
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_conflicts(self, **fields: Unpack[models.ListConflictsInput]) -> Iterator[models.Conflict]:
        """All pairs of memories in conflict, page by page, also while they are resolved."""
        while True:
            page = self.list_conflicts(**fields)
            for conflict in page["conflicts"]:
                yield conflict
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_tags(self, **fields: Unpack[models.ListTagsInput]) -> Iterator[models.ValueInUse]:
        """All tags in use, page by page."""
        while True:
            page = self.list_tags(**fields)
            for value in page["values"]:
                yield value
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_sources(self, **fields: Unpack[models.ListSourcesInput]) -> Iterator[models.ValueInUse]:
        """All sources in use, page by page."""
        while True:
            page = self.list_sources(**fields)
            for value in page["values"]:
                yield value
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def iter_sessions(self, **fields: Unpack[models.ListSessionsInput]) -> Iterator[models.ValueInUse]:
        """All sessions in use, page by page."""
        while True:
            page = self.list_sessions(**fields)
            for value in page["values"]:
                yield value
            if page["next_cursor"] is None:
                return
            fields["cursor"] = page["next_cursor"]

    def follow_changes(self, **fields: Unpack[models.FollowChangesInput]) -> Iterator[models.Change]:
        """Changes as they happen, from now on or after the cursor `after`.

        It never ends by itself: where the connection is lost, it continues after the last change. A change may come
        twice; it has the same cursor then. Raises ProblemError when the key is no longer valid.
        """
        if fields.get("after") is None:
            fields["after"] = (self.list_changes(from_="now"))["next_cursor"]
        attempt = 0
        while True:
            try:
                with self._http.stream(
                    "GET",
                    "/events",
                    params=query_of(as_fields(fields, writes=False)),
                    headers={"Accept": "text/event-stream"},
                    timeout=httpx.Timeout(self._http.timeout.connect, read=IDLE_SECONDS),
                ) as response:
                    if response.status_code in (429, 503):
                        raise httpx.ReadError("the service is busy")
                    if not response.is_success:
                        response.read()
                        raise problem_of(response)
                    for event in EventSource(response).iter_sse():
                        if event.event == "error":
                            break
                        attempt = 0
                        if event.id:
                            fields["after"] = event.id
                        if event.data:
                            yield event.json()
            except httpx.TransportError:
                pass
            sleep(pause_after(attempt))
            attempt += 1

    def _call(self, operation: Operation, fields: Any, **options: Any) -> Any:
        request = {**request_of(operation, fields), "headers": headers_of(operation, **options)}
        attempt = 0
        while True:
            outcome = self._outcome(request)
            pause = pause_before_retry(operation, attempt, outcome) if attempt < self._retries else None
            if pause is None:
                return self._answer(outcome)
            sleep(pause)
            attempt += 1

    def _answer(self, outcome: httpx.Response | httpx.TransportError) -> Any:
        if isinstance(outcome, httpx.Response):
            return answer_of(outcome)
        raise unreachable(self._connection, outcome) from outcome

    def _outcome(self, request: dict[str, Any]) -> httpx.Response | httpx.TransportError:
        try:
            return self._http.request(**request)
        except httpx.TransportError as error:
            return error

    def _stream(self, operation: Operation, fields: Any) -> Iterator[str]:
        try:
            with self._http.stream(**request_of(operation, fields)) as response:
                if not response.is_success:
                    response.read()
                    raise problem_of(response)
                for text in response.iter_text():
                    yield text
        except httpx.TransportError as error:
            raise unreachable(self._connection, error) from error
