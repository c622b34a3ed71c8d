"""The text form of answers for golden_answers.py: a name replaces each time, id and secret, and a piece that several
answers share stands in a file once.
"""
import gzip
import hashlib
import re

OPENPGP_SIGNATURE = (0x88, 0xc2)  # the first byte of one, in the old format of packets and the new one
LEAST_VALUE = 8  # a shorter one may be a part of anything
# Later dates come from the run; earlier ones from the registry's content, or from documentation.
_THIS = r"(?:2026-(?:0[6-9]|1[0-2])|202[7-9]-\d\d|20[3-9]\d-\d\d)-\d\d"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LATE = r"(?:Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LONG = r"[A-Za-z0-9_-]"
RULES = tuple((re.compile(pattern), put) for pattern, put in (
    (r"(<time[^>]*>)[^<]*(ago|前)(</time>)", r"\1<ago>\3"),
    (rf"\d\d? (?:{_LATE} 2026|{_MONTH} (?:202[7-9]|20[3-9]\d))(, \d\d:\d\d(:\d\d)? UTC)?", "<date>"),
    (r"(?:2026年(?:[6-9]|1[0-2])|(?:202[7-9]|20[3-9]\d)年\d\d?)月\d\d?日( \d\d:\d\d(:\d\d)?（UTC）)?", "<date>"),
    (rf"{_THIS}T\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "<time>"),
    (rf"{_THIS}( \d\d:\d\d(:\d\d)?)?", "<date>"),
    (rf"(\w{{3}}, )\d\d {_MONTH} \d{{4}} \d\d:\d\d:\d\d GMT", "<time>"),
    (rf"(name=\"csrf\" value=\"){_LONG}+\"", r"\1<csrf>\""),
    (r"(__Host-koya[a-z-]*=)[^;]+", r"\1<secret>"),
    (rf"([?&](?:state|nonce|code_challenge)=){_LONG}{{20,}}", r"\1<secret>"),
    (r"\r", "<CR>"),
    (r"dur=[0-9.]+", "dur=<time>"),
    (r"([?&](?:amp;)?(?:expires|until|signature|sig|capability|c)=)[A-Za-z0-9_.~%-]+", r"\1<proof>"),
    (r"(?s)-----BEGIN PGP PUBLIC KEY BLOCK-----.*?-----END PGP PUBLIC KEY BLOCK-----", "<armor>"),
    (r"(\"signature\": ?\")[0-9a-f]{100,}", r"\1<signature>"),
))
# The same for routes whose pattern has the word.
RULES_OF = {word: tuple((re.compile(pattern), put) for pattern, put in rules) for word, rules in {
    "audit": ((r"\b(?!0{64})[0-9a-f]{64}\b", "<hash>"), (r"\b[0-9a-f]{24}\b", "<id>")),
    "lag": ((r"(\"days(_p90|_median)?\":)\d{3,}", r"\1<days>"),),
    "usage": ((r"<bdi>\d{3,}</bdi>( days|日|天)", r"<bdi><days></bdi>\1"),
              (r"<td class=\"r\">\d{3,}</td>", "<td class=\"r\"><days></td>")),
    # A signature is shorter now and then.
    "verify": ((r"(\"kind\":\"documents\"[^}]*\"size\":)\d+", r"\1<size>"),),
    "admin/gc": ((r"(\"(?:referenced|young)\":\{\"count\":\d+,\"bytes\":)\d+", r"\1<size>"),),
    "sessions": ((r"\"id\":\"[^\"]+\"", "\"id\":\"<id>\""),),
    # The disk of the machine may be nearly full, which needs attention.
    "/-/admin": ((r"\s*(?:<section class=\"sec\"><h2>[^<]*</h2>\n<div class=\"note warn\"><ul>\n"
                  r"<li><a href=\"/-/admin/storage\">[^\n]*\n</ul></div></section>"
                  r"|<div class=\"note ok\"><p><b>[^<]*</b></p></div>)\s*", "\n<attention>\n"),
                 (r"(/-/admin/health\">[^<]*</a></dt><dd>)(?:OK|正常|1 <small>[^<]*</small>)</dd>", r"\1<attention></dd>")),
    "status": ((r"\"disk\":\{[^}]*\}", "\"disk\":<disk>"), (r"(\"waiting\":)\d+", r"\1<number>"),
               (r"\{\"code\":\"disk_low\"[^}]*\}", ""),
               (r"(\"certificate\":\{\"days\":)\d+", r"\1<days>")),
    "replicas": ((r"\"id\":\"[^\"]+\"", "\"id\":\"<id>\""), (r"\"address\":\"[^\"]+\"", "\"address\":\"<address>\""),
                 (r"_ms\":-?\d+", "_ms\":<time>")),
}.items()}
# A page is cut before and after these: askers and pages share most of what is between two cuts.
_BEFORE = ('<link rel="canonical"', '<meta property="og:site_name"', "<body>", "<main ", '<div class="end">', "<form ",
           "<section", "<table", "<tbody", "<h2", "<nav", "<details", "<aside", "<dl")
CUT = re.compile("|".join(f"(?={re.escape(each)})" for each in _BEFORE) + "|(?<=</main>)|(?<=</form>)")
# Fields whose value differs in each answer, and the name that replaces it.
FIELDS = {"date": "<time>", "x-request-id": "<id>"}


class Text:
    """Turns answers into texts; `values` as those of GoldenRegistry."""

    def __init__(self, values):
        self.known = sorted(((value, f"<{name}>") for name, value in values.items() if len(value) >= LEAST_VALUE),
                            key=lambda each: -len(each[0]))

    def plain(self, text):
        for value, name in self.known:
            text = text.replace(value, name)
        for pattern, put in RULES:
            text = pattern.sub(put, text)
        return text

    def fields(self, answer):
        """The status and the fields, in their order."""
        lines = [str(answer.status)]
        for name, value in answer.headers.items():
            if name.lower() == "content-length":
                value = "<as the body>" if value == str(len(answer.body)) else "<another>"
            elif name.lower() == "etag":
                value = re.sub(r'"[^"]*"', '"<etag>"', value)
            lines.append(f"{name}: {FIELDS.get(name.lower()) or self.plain(value)}")
        return "\n".join(lines)

    def body(self, route, answer, without=""):
        """Its pieces; a page has several. `without`: why its text is left out."""
        data = answer.body
        if answer.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            text = self.plain(data.decode().replace(answer.headers["X-Request-Id"], "<id>"))
        except UnicodeDecodeError:
            if answer.status == 200 and data[0] in OPENPGP_SIGNATURE:
                return ["<signature>"]
            return [f"<{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}>"]
        for pattern, put in (rule for word, rules in RULES_OF.items() if word in route for rule in rules):
            text = pattern.sub(put, text)
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if without:
            text = re.sub("(?s)<main .*</main>", f"<{without}>", text) if is_page else f"<{without}>"
        return [piece for piece in (CUT.split(text) if is_page else [text]) if piece]


def lines_of(piece):
    """Lines to write down, from which the piece can be put together byte by byte: long ones are cut,
    an element of a list at its beginning, so that a change moves few of the cuts."""
    lines = []
    for line in piece.split("\n"):
        first, *more = re.split(r"(?<=[{\[,>])(?=[\"{\[<])", line) if len(line) > 120 else [line]
        lines.append("|" + first)
        for part in more:
            if len(lines[-1]) + len(part) < 120 and not part.startswith(("{", "<tr", "<li")):
                lines[-1] += part
            else:
                lines.append("+" + part)
    return lines


class Record:
    """The pieces of each answer, by route, question and asker; one file holds one room."""

    def __init__(self):
        self.answers = {}  # {(route, question): {asker: [piece]}}

    def add(self, route, question, asker, pieces):
        self.answers.setdefault((route, question), {})[asker] = pieces

    def write(self):
        """A text in which each piece stands once, below the question that was answered with it first."""
        out, named = [], set()
        for (route, question), askers in self.answers.items():
            out.append(f"=== {question}" + (f"   of {route}" if route != question else ""))
            news = []
            for asker, pieces in askers.items():
                names = [hashlib.sha256(piece.encode()).hexdigest()[:12] for piece in pieces]
                out.append(f"--- {asker}: {' '.join(names)}")
                news += [(name, piece) for name, piece in zip(names, pieces) if name not in named]
                named.update(names)
            for name, piece in dict(news).items():
                out += [f"--- {name}", *lines_of(piece)]
        return "\n".join(out) + "\n"

    @classmethod
    def read(cls, text):
        record, pieces, key, name = cls(), {}, None, None
        for line in text.split("\n")[:-1]:
            if line.startswith("=== "):
                question, _, route = line[4:].partition("   of ")
                key = (route or question, question)
            elif line.startswith("--- "):
                asker, colon, names = line[4:].partition(": ")
                name = None if colon else asker
                if colon:
                    record.add(*key, asker, names.split())
            else:
                pieces[name] = pieces.get(name, "") + {"|": "\n", "+": ""}[line[0]] + line[1:]
        for askers in record.answers.values():
            for asker, names in askers.items():
                askers[asker] = [pieces[each][1:] for each in names]
        return record
