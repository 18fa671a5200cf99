"""The client of Mnemograph, a memory service for agents and applications."""

from . import models
from ._async.client import AsyncClient
from ._shared import DocumentsRefused, MnemographError, ProblemError, ServiceUnreachable
from ._sync.client import Client

__all__ = [
    "AsyncClient",
    "Client",
    "DocumentsRefused",
    "MnemographError",
    "ProblemError",
    "ServiceUnreachable",
    "models",
]
