"""Small package registries on loopback, of the kinds that pip, npm, go and cargo ask.

What they serve is written by hand: wheels, tarballs and zips with a few lines in them.
"""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass
class Registry:
    """A server, and what it has.

    Attributes:
        url: where it is.
        pages: what it answers, by path.
        asked: the paths that were asked for.
        accepts: the headers `Authorization` that it answers to; empty to answer everybody.
    """

    url: str
    pages: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    accepts: frozenset[str] = frozenset()

    @property
    def index(self) -> str:
        """The URL of the index for Python."""
        return f"{self.url}/simple/"

    def add_python(self, name: str, file: str, data: bytes, *, sha256: str = "") -> None:
        """Offer a wheel or an sdist, with a wrong hash if one is given."""
        digest = sha256 or hashlib.sha256(data).hexdigest()
        page = f"/simple/{name}/"
        self.pages[f"/files/{file}"] = data
        link = f'<a href="/files/{file}#sha256={digest}">{file}</a><br/>\n'
        self.pages[page] = self.pages.get(page, b"<!DOCTYPE html>\n") + link.encode()

    def add_wheel(self, name: str, version: str, **more: object) -> bytes:
        """Offer a wheel, see `a_wheel`."""
        data = a_wheel(name, version, **more)  # type: ignore[arg-type]
        self.add_python(name, f"{name.replace('-', '_')}-{version}-py3-none-any.whl", data)
        return data

    def add_npm(self, name: str, version: str, files: Mapping[str, str], **more: object) -> None:
        """Offer an npm package."""
        manifest = {"name": name, "version": version, **more}
        data = a_tarball("package", {"package.json": json.dumps(manifest), **files})
        place = f"/{name}/-/{name.split('/')[-1]}-{version}.tgz"
        self.pages[place] = data
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
        dist = {"tarball": f"{self.url}{place}", "integrity": integrity}
        packument = json.loads(self.pages.get(f"/{name}", b"{}")) or {"name": name, "versions": {}}
        packument["versions"][version] = {**manifest, "dist": dist}
        packument["dist-tags"] = {"latest": version}
        if "scripts" in more:
            packument["versions"][version]["hasInstallScript"] = True
        self.pages[f"/{name}"] = json.dumps(packument).encode()
        self.pages[f"/{name.replace('/', '%2f')}"] = self.pages[f"/{name}"]

    def add_go(self, module: str, version: str, files: Mapping[str, str]) -> None:
        """Offer a Go module."""
        place = f"/{module}/@v/{version}"
        mod = files.get("go.mod", f"module {module}\n")
        self.pages[f"/{module}/@v/list"] = f"{version}\n".encode()
        self.pages[f"{place}.info"] = json.dumps(
            {"Version": version, "Time": "2020-01-01T00:00:00Z"}
        ).encode()
        self.pages[f"{place}.mod"] = mod.encode()
        self.pages[f"{place}.zip"] = a_zip(
            {f"{module}@{version}/{name}": text for name, text in {"go.mod": mod, **files}.items()}
        )

    def add_crate(self, name: str, version: str, files: Mapping[str, str], **needs: str) -> None:
        """Offer a Rust crate, whose name has at least four letters, by a sparse index."""
        data = a_tarball(f"{name}-{version}", files)
        more = {"features": [], "optional": False, "default_features": True, "target": None, "kind": "normal"}
        line = {
            "name": name,
            "vers": version,
            "deps": [{"name": other, "req": wanted, **more} for other, wanted in needs.items()],
            "cksum": hashlib.sha256(data).hexdigest(),
            "features": {},
            "yanked": False,
        }
        place = f"{self.url}/crates/{{crate}}-{{version}}.crate"
        self.pages["/index/config.json"] = json.dumps({"dl": place}).encode()
        self.pages[f"/index/{name[:2]}/{name[2:4]}/{name}"] = json.dumps(line).encode()
        self.pages[f"/crates/{name}-{version}.crate"] = data


@contextmanager
def a_registry() -> Iterator[Registry]:
    """A registry that answers as long as the block goes on."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            registry.asked.append(path)
            is_known = not registry.accepts or self.headers["Authorization"] in registry.accepts
            body = registry.pages.get(path) if is_known else None
            self.send_response(200 if body is not None else 404 if is_known else 401)
            if not is_known:
                self.send_header("WWW-Authenticate", 'Basic realm="packages"')
            kind = "text/html" if path.startswith("/simple/") else "application/octet-stream"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body or b"")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry = Registry(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def a_wheel(
    name: str,
    version: str,
    *,
    files: Mapping[str, str] | None = None,
    requires: tuple[str, ...] = (),
    scripts: Mapping[str, str] | None = None,
) -> bytes:
    """A pure wheel: a module of the package's name with `VERSION`, or these files."""
    module = name.replace("-", "_")
    contents = dict(files or {f"{module}.py": f'VERSION = "{version}"\n'})
    info = f"{module}-{version}.dist-info"
    needed = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    contents[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}"
    contents[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    if scripts:
        lines = "".join(f"{script} = {target}\n" for script, target in scripts.items())
        contents[f"{info}/entry_points.txt"] = f"[console_scripts]\n{lines}"
    record = "".join(f"{path},{_record_hash(text)},{len(text.encode())}\n" for path, text in contents.items())
    return a_zip({**contents, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"})


def an_sdist(name: str, version: str, files: Mapping[str, str]) -> bytes:
    """A source distribution."""
    info = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    return a_tarball(f"{name}-{version}", {"PKG-INFO": info, **files})


def a_zip(files: Mapping[str, str]) -> bytes:
    """A zip, the same bytes each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text)
    return buffer.getvalue()


def a_tarball(top: str, files: Mapping[str, str]) -> bytes:
    """A gzipped tar with one directory, the same bytes each time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size = len(text.encode())
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(buffer.getvalue(), mtime=0)


def _record_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
