"""What a client sees: one request, one connection, and what became of it."""
import contextlib
import hashlib
import http.client
import json

GIVE_UP_SECONDS = 20  # of changes; terraform and tofu give up a document after ten
READ_SECONDS = 10
DIRECT_SECONDS = 5  # of a read, where no balancer looks for another: or all workers hang on one replica


class Reply:
    """An answer, or that there was none (status 0). `whole`: the body came to its end."""

    def __init__(self, status=0, headers=None, body=b"", error=None):
        self.status, self.headers, self.body, self.error = status, headers or {}, body, error

    @property
    def whole(self):
        return self.error is None

    @property
    def digest(self):
        return hashlib.sha256(self.body).hexdigest()

    @property
    def stale(self):
        return "Warning" in self.headers

    def json(self):
        return json.loads(self.body)


class Client:
    """Asks one replica, or the balancer, which says who answered."""

    def __init__(self, way, host, port):
        self.way, self.host, self.port = way, host, port

    def ask(self, method, path, body=None, token=None, seconds=None, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        fields["User-Agent"] = "koya-cluster"
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if seconds is None:
            reads = READ_SECONDS if self.way == "balancer" else DIRECT_SECONDS
            seconds = reads if method == "GET" else GIVE_UP_SECONDS
        asked = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        with contextlib.closing(asked):
            try:
                asked.request(method, path, body, fields)
                answer = asked.getresponse()
            except (OSError, http.client.HTTPException) as failure:
                return Reply(error=type(failure).__name__)
            try:
                return Reply(answer.status, answer.headers, answer.read())
            except (OSError, http.client.HTTPException) as failure:
                return Reply(answer.status, answer.headers, error=type(failure).__name__)

    def by(self, reply):
        """Which replica answered; None where nobody can know."""
        return self.way if self.way != "balancer" else reply.headers.get("X-Served-By")
