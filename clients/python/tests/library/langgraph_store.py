"""A plugin of pytest: the tests that LangGraph has for its store in memory run with a store of Mnemograph instead."""

import os
from typing import Any
from uuid import uuid4

from langgraph.store import memory

from mnemograph_client import Client
from mnemograph_client.langgraph import MemoryStore


class StoreOfMnemograph(MemoryStore):
    """In a tenant of its own. The service makes the vectors, so an index has nothing to say."""

    def __init__(self, *, index: Any = None) -> None:
        address, key = os.environ["MNEMOGRAPH_TEST_URL"], os.environ["MNEMOGRAPH_TEST_KEY"]
        super().__init__(Client(address, key, tenant=f"python-{uuid4()}"))


memory.InMemoryStore = StoreOfMnemograph  # type: ignore[assignment, misc]
