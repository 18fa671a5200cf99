"""Writes the sync half of the Python client, and of its tests, from the async half."""

import sys
from pathlib import Path

import unasync

halves = [Path(sys.argv[1]) / "src" / "mnemograph_client", Path(sys.argv[1]) / "tests"]
replaced = {
    "AsyncClient": "Client",
    "AsyncOperations": "Operations",
    "AsyncBaseTransport": "BaseTransport",
    "aclose": "close",
    "aiter_text": "iter_text",
    "aiter_sse": "iter_sse",
    "aread": "read",
    "asyncio": "time",
    "pytest_asyncio": "pytest",
}
rule = unasync.Rule("/_async/", "/_sync/", additional_replacements=replaced)
unasync.unasync_files([str(path) for half in halves for path in (half / "_async").glob("*.py")], [rule])
