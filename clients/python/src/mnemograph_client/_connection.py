"""Where the service is: its address, the key, and the proxy on the way."""

import ipaddress
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx

BASE_PATH = "/api/v1"


class Connection(NamedTuple):
    """The address with the base path, and the proxy that leads there: both as they may be shown."""

    base_url: str
    proxy: str | None


def connection_to(address: str, api_key: Any, tenant: str | None, transport: Any) -> tuple[Connection, dict[str, Any]]:
    """Also what httpx is opened with. Raises ValueError, which never shows the key, if one of them cannot be used."""
    url = url_of(address)
    proxy = None if transport is not None else proxy_to(url)
    headers = {"Authorization": f"Bearer {key}"} if (key := key_of(api_key)) else {}
    if tenant is not None:
        headers["X-Tenant-Id"] = str(tenant).strip()
    options: dict[str, Any] = {"base_url": url, "headers": headers, "trust_env": False}
    if transport is not None:
        options["transport"] = transport
    else:
        options["verify"] = httpx.create_ssl_context()
    if proxy is not None:
        options["proxy"] = usable(proxy)
    return Connection(shown(url), shown(proxy) if proxy else None), options


def url_of(address: str) -> httpx.URL:
    """The base path may be left out, and `http://` for this machine."""
    text = str(address).strip().rstrip("/")
    if not text.lower().startswith(("http://", "https://")):
        if "://" in text or not text or not is_loopback(httpx.URL(f"http://{text}").host):
            raise ValueError("The address must begin with http:// or https://, for instance http://127.0.0.1:4545.")
        text = f"http://{text}"
    url = httpx.URL(text)
    return url if url.path.strip("/") else url.copy_with(path=BASE_PATH)


def key_of(api_key: Any) -> str:
    """The key without the white space around it, which files end with."""
    if api_key is None:
        return ""
    secret = api_key.get_secret_value() if hasattr(api_key, "get_secret_value") else api_key
    text = secret.decode() if isinstance(secret, bytes) else str(secret)
    key = text.strip().strip("\ufeff").removeprefix("Bearer ").strip()
    if not all("!" <= each <= "~" for each in key):
        raise ValueError("The key has white space or other characters inside that no key has. Copy it again.")
    return key


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def proxy_to(url: httpx.URL) -> httpx.URL | None:
    """As the environment says (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). This machine needs no proxy."""
    if is_loopback(url.host) or proxy_bypass(url.netloc.decode()):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy:
        return None
    return httpx.URL(proxy if "://" in proxy else f"http://{proxy}")


def usable(proxy: httpx.URL) -> httpx.Proxy:
    """`socks://` is a name of desktops for SOCKS 5."""
    if not proxy.scheme.startswith("socks"):
        return _proxy(proxy)
    if not find_spec("socksio"):
        raise ValueError(
            f"The proxy {shown(proxy)} of the environment speaks SOCKS. Install what it needs: "
            'pip install "mnemograph-client[socks]". To go without the proxy, add the host to NO_PROXY.'
        )
    return _proxy(proxy.copy_with(scheme="socks5h" if proxy.scheme == "socks5h" else "socks5"))


def _proxy(url: httpx.URL) -> httpx.Proxy:
    try:
        return httpx.Proxy(url)
    except ValueError:
        raise ValueError(
            f"The proxy {shown(url)} of the environment cannot be used: its address must begin with http://, https:// "
            "or socks5://. To go without the proxy, add the host to NO_PROXY."
        ) from None


def shown(url: httpx.URL) -> str:
    """Without the name and the password of a user."""
    return str(url.copy_with(userinfo=b"")).rstrip("/")
