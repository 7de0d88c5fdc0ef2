"""A web server for tests that can misbehave: break off in the middle, refuse ranges, answer 500."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Server:
    """Serves `files` by path. Each request takes one word from `script` while there is one: "500", "cut" or "ok"."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    script: list[str] = field(default_factory=list)
    ranges: bool = True
    requests: list[tuple[str, str]] = field(default_factory=list)  # (path, Range header)


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            server.requests.append((self.path, asked))
            word = server.script.pop(0) if server.script else "ok"
            if word == "500" or self.path not in server.files:
                self.send_error(500 if word == "500" else 404)
                return
            body = server.files[self.path]
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and server.ranges else 0
            if start and start >= len(body):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            rest = body[start:]
            self.wfile.write(rest[: len(rest) // 2] if word == "cut" else rest)

        def log_message(self, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_port}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
