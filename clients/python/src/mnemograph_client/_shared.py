"""What the async client and the sync client share: requests, errors and retries."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import httpx

from ._connection import Connection
from ._json import as_fields

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0


class Operation(NamedTuple):
    """An operation of the service, and how it is called."""

    name: str
    method: str
    path: str
    in_body: bool
    creates: bool
    reads: bool


class MnemographError(Exception):
    """The call failed."""


class ServiceUnreachable(MnemographError):
    """No answer came from the address. A write may have happened."""


class ProblemError(MnemographError):
    """The service refused or failed. `problem` is its answer, a problem document of RFC 9457."""

    def __init__(self, status: int, problem: Mapping[str, Any], headers: httpx.Headers) -> None:
        detail = problem.get("detail") or f"The service answered {status}"
        super().__init__(f"{problem.get('title', status)}: {detail}")
        self.status = status
        self.problem = problem
        self.headers = headers

    @property
    def code(self) -> str | None:
        """The code of the problem, for instance `memory_not_found`."""
        return self.problem.get("code")


class DocumentsRefused(MnemographError):
    """Some documents cannot be stored: `refused` says why for the id of each. The others, `stored`, are stored."""

    def __init__(self, refused: Mapping[str, str], stored: list[str]) -> None:
        named = "; ".join(f"{each!r}: {reason}" for each, reason in list(refused.items())[:5])
        more = f"; and {len(refused) - 5} more" if len(refused) > 5 else ""
        super().__init__(f"{len(refused)} of {len(refused) + len(stored)} documents cannot be stored. {named}{more}")
        self.refused = refused
        self.stored = stored


def request_of(operation: Operation, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Names in the path go there, the rest into the query or the body."""
    given = as_fields(fields, writes=not operation.reads)
    in_path = re.findall(r"\{(\w+)\}", operation.path)
    path = re.sub(r"\{(\w+)\}", lambda found: quote(in_path_of(given, found[1]), safe=""), operation.path)
    rest = {name: value for name, value in given.items() if name not in in_path}
    request: dict[str, Any] = {"method": operation.method, "url": path}
    return {**request, "json": rest} if operation.in_body else {**request, "params": query_of(rest)}


def in_path_of(given: Mapping[str, Any], name: str) -> str:
    """An empty one would be the path of another operation."""
    value = str(given.get(name, "")).strip()
    if value in ("", ".", ".."):
        raise ValueError(f"`{name}` is required, and cannot be empty.")
    return value


def query_of(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: in_query(value) for name, value in given.items()}


def in_query(value: Any) -> Any:
    """A list repeats its parameter; an object is a JSON text."""
    return json.dumps(value) if isinstance(value, Mapping) else value


def headers_of(
    operation: Operation,
    *,
    idempotency_key: str | None = None,
    if_version: int | None = None,
    wait: float | None = None,
) -> dict[str, str]:
    """A create has an idempotency key, so that it may be repeated: it happens once."""
    headers: dict[str, str] = {}
    if operation.creates:
        headers["Idempotency-Key"] = idempotency_key or str(uuid4())
    if if_version is not None:
        headers["If-Match"] = f'"{if_version}"'
    if wait is not None:
        headers["Prefer"] = f"wait={float(wait):g}"
    return headers


def pause_before_retry(
    operation: Operation, attempt: int, outcome: httpx.Response | httpx.TransportError
) -> float | None:
    """Seconds until a failed call may be repeated; None if it may not. A write is repeated only if that is safe."""
    answered = outcome if isinstance(outcome, httpx.Response) else None
    refused = answered is not None and answered.status_code == 429
    unavailable = answered is None or answered.status_code == 503
    if not refused and not (unavailable and (operation.reads or operation.creates)):
        return None
    asked = answered.headers.get("retry-after", "") if answered is not None else ""
    return min(float(asked), LONGEST_PAUSE_SECONDS) if asked.isdigit() else pause_after(attempt)


def pause_after(attempt: int) -> float:
    """Seconds, twice as many after each attempt."""
    return min(FIRST_PAUSE_SECONDS * 2.0 ** min(attempt, 10), LONGEST_PAUSE_SECONDS)


def answer_of(response: httpx.Response) -> Any:
    """The answer of a call that succeeded. Raises ProblemError for any other."""
    not_ready = response.status_code == 503 and response.url.path.endswith("/ready")
    if response.is_success or not_ready:
        return response.json()
    raise problem_of(response)


def problem_of(response: httpx.Response) -> ProblemError:
    """A response that has been read, as an error."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    return ProblemError(response.status_code, problem if isinstance(problem, dict) else {}, response.headers)


def unreachable(connection: Connection, error: Exception) -> ServiceUnreachable:
    """Names the address, and the proxy: one of them is what is wrong most often."""
    reason = str(error) or type(error).__name__
    way = f" through the proxy {connection.proxy} of the environment" if connection.proxy else ""
    remedy = " To go without the proxy, add the host to NO_PROXY." if connection.proxy else ""
    return ServiceUnreachable(f"The service at {connection.base_url} cannot be reached{way}: {reason}{remedy}")
