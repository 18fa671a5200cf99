"""Addresses, keys and proxies: what is wrong is named, and no key is ever shown."""

import asyncio
import logging
import traceback
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from mnemograph_client import AsyncClient, Client, ProblemError, ServiceUnreachable
from mnemograph_client._connection import proxy_to

from .adapters import ADDRESS, KEY

SECRET = "mg_a-key-that-nobody-sees"


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def working(key: Any, address: str = ADDRESS) -> None:
    with Client(address, key, tenant=f"python-{uuid4()}") as client:
        assert client.list_memories()["memories"] == []


@pytest.mark.parametrize("form", ["{}\n", "\r\n {}\t", "\ufeff{}", "Bearer {}"])
def test_white_space_around_a_key_is_left_out(form: str) -> None:
    working(form.format(KEY))


def test_a_key_can_be_a_secret_or_bytes() -> None:
    working(SecretStr(KEY))
    working(KEY.encode())


@pytest.mark.parametrize("key", [f"{SECRET}\n{SECRET}", f"{SECRET} x", f"{SECRET}\0", f"{SECRET}é"])
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(kind: type[Client], key: str) -> None:
    with pytest.raises(ValueError, match="The key has white space or other characters inside") as refused:
        kind(ADDRESS, key)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_a_key_is_in_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = Client(ADDRESS, SECRET, retries=0)
    texts = [repr(client), str(client), repr(AsyncClient(ADDRESS, SECRET)), repr(client._connection)]
    with pytest.raises(ProblemError) as refused:
        client.list_memories()
    nowhere = Client("http://user:hidden@127.0.0.1:9", SECRET, retries=0)
    with pytest.raises(ServiceUnreachable) as unreachable:
        nowhere.list_memories()
    for error in (refused.value, unreachable.value):
        texts += [repr(error), *traceback.format_exception(error)]
    texts += [repr(refused.value.problem), repr(refused.value.headers), repr(nowhere), caplog.text]
    assert "Client('http://127.0.0.1" in texts[0]
    for text in texts:
        assert SECRET not in text and "hidden" not in text


def test_an_address_of_this_machine_needs_no_scheme() -> None:
    working(KEY, ADDRESS.removeprefix("http://"))
    working(KEY, f" {ADDRESS}/ \n")
    assert Client("localhost:4545").base_url == "http://localhost:4545/api/v1"
    assert Client("[::1]:4545/prefix/").base_url == "http://[::1]:4545/prefix"


@pytest.mark.parametrize("address", ["memory.example:4545", "ftp://memory.example", "", "ws://127.0.0.1:4545"])
def test_an_address_without_http_is_named(address: str) -> None:
    with pytest.raises(ValueError, match="The address must begin with http:// or https://"):
        Client(address)


PROXIES = ["socks://127.0.0.1:1", "http://127.0.0.1:1", "127.0.0.1:1", "nonsense://127.0.0.1:1"]


@pytest.mark.parametrize("name", ["ALL_PROXY", "HTTP_PROXY", "all_proxy"])
@pytest.mark.parametrize("proxy", PROXIES)
def test_this_machine_needs_no_proxy(monkeypatch: pytest.MonkeyPatch, name: str, proxy: str) -> None:
    monkeypatch.setenv(name, proxy)
    working(KEY)
    asyncio.run(AsyncClient(ADDRESS, KEY).get_health())


def test_a_proxy_that_does_not_answer_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://user:hidden@127.0.0.1:9")
    with pytest.raises(ServiceUnreachable) as unreachable:
        Client("http://memory.example", KEY, retries=0).list_memories()
    text = str(unreachable.value)
    assert "http://memory.example/api/v1 cannot be reached through the proxy http://127.0.0.1:9 of the" in text
    assert "NO_PROXY" in text and "hidden" not in text


def test_a_proxy_of_socks_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://user:hidden@proxy.example:1080/")
    with pytest.raises(ValueError) as refused:
        Client("http://memory.example", KEY)
    assert "socks://proxy.example:1080 of the environment" in str(refused.value)
    assert 'pip install "mnemograph-client[socks]"' in str(refused.value) and "hidden" not in str(refused.value)


def test_a_proxy_of_another_kind_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://proxy.example:1")
    with pytest.raises(ValueError, match="The proxy nonsense://proxy.example:1 of the environment cannot be used"):
        Client("http://memory.example", KEY)


def test_no_proxy_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "internal.example, .corp")
    assert proxy_to(httpx.URL("https://memory.example")) == httpx.URL("http://proxy.example:3128")
    for direct in ("https://internal.example", "https://memory.corp", "http://memory.example", "https://127.0.0.1:1"):
        assert proxy_to(httpx.URL(direct)) is None
