#!/usr/bin/python3
"""An S3 endpoint with one bucket, `repo<N>`, that outlives its process.

moto keeps objects in memory only. Here every object is also written to a folder when a request has
changed it, and the folder is read back at start: a backup that was acknowledged is there after a
restart, as it is with real object storage.

Usage: lab-s3 N ADDRESS PORT FOLDER
"""

import io
import os
import pathlib
import re
import sys
import tempfile
import threading
import urllib.parse
import xml.sax.saxutils

from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple


class Store:
    """Keeps a bucket's folder equal to the bucket."""

    def __init__(self, bucket: str, folder: pathlib.Path) -> None:
        self.bucket = bucket
        self.folder = folder
        self.backend = get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"]
        self.lock = threading.Lock()

    def load(self) -> None:
        self.backend.create_bucket(self.bucket, "us-east-1")
        for path in self.folder.iterdir():
            if path.name.startswith("."):
                path.unlink()  # half written when the process ended
                continue
            key = urllib.parse.unquote(path.name)
            self.backend.put_object(self.bucket, key, path.read_bytes())

    def file_of(self, key: str) -> pathlib.Path:
        return self.folder / urllib.parse.quote(key, safe="")

    def save(self, key: str) -> None:
        """Make the folder say about `key` what the bucket says."""
        with self.lock:
            found = self.backend.get_object(self.bucket, key)
            if found is None:
                self.file_of(key).unlink(missing_ok=True)
                return
            descriptor, aside = tempfile.mkstemp(dir=self.folder, prefix=".")
            with os.fdopen(descriptor, "wb") as file:
                file.write(found.value)
            os.rename(aside, self.file_of(key))


class Keeper:
    """Passes requests on and, before the answer goes out, stores what they changed."""

    def __init__(self, application, store: Store) -> None:
        self.application = application
        self.store = store

    def __call__(self, environ, start_response):
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if method in ("GET", "HEAD"):
            return self.application(environ, start_response)
        key = path.encode("latin-1").decode("utf-8").removeprefix(f"/{self.store.bucket}").removeprefix("/")
        keys = [key] if key else self._named_in_body(environ)
        answer = list(self.application(environ, start_response))
        for changed in keys:
            self.store.save(changed)
        return answer

    @staticmethod
    def _named_in_body(environ) -> list[str]:
        """The keys of a multi-object delete; the body is put back for the application to read."""
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        return [xml.sax.saxutils.unescape(key) for key in re.findall("<Key>(.*?)</Key>", body.decode())]


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_arguments) -> None:
        """No line for each request: thousands of them say nothing here."""


def main() -> None:
    number, address, port, folder = sys.argv[1:]
    store = Store(f"repo{number}", pathlib.Path(folder))
    store.load()
    application = Keeper(DomainDispatcherApplication(create_backend_app), store)
    run_simple(address, int(port), application, threaded=True, request_handler=Quiet)


main()
