"""Watching, and mail about it: `koya watch` with a scripted mail server that keeps what it gets,
is slow, refuses, and lies about TLS."""
import base64
import email
import email.policy
import json
import pathlib
import re
import shutil
import socket
import ssl
import tempfile
import threading
import unittest

import koya_e2e
import koya_upstream
import test_postgres
from koya_e2e import tar_gz, wait_until
from koya_sign_in import ADMIN, SecureServer
from test_login import LoginTestCase

MAIL_SECONDS = 120  # changes that follow each other closely are one mail: it waits for a quiet time
PASSWORD = "the mail server's password"


class MailServer:
    """Speaks SMTP as its fields say. Use as a context manager."""

    def __init__(self, certificate=None, tls_at_once=False, host="127.0.0.1"):
        self.host, self.tls_at_once, self.context = host, tls_at_once, None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
        self.mails, self.lines = [], []  # (to, text); all that clients said
        self.answers = {}                # by command: in place of the usual one
        self.slow = threading.Event()    # while set, connections are not answered
        self.signs_in = False

    def __enter__(self):
        self.listener = socket.create_server((self.host, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.slow.clear()
        self.listener.close()

    def url(self, scheme="smtp", host=None):
        return f"{scheme}://{host or self.host}:{self.port}"

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.slow.is_set():
                self.lines.append("CONNECTED")
                connection.settimeout(60)
                connection.recv(1)
                return
            if self.tls_at_once:
                connection = self.context.wrap_socket(connection, server_side=True)
            self.talk(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def talk(self, connection, greets=True):
        starttls = self.context and greets and not self.tls_at_once
        lines = connection.makefile("rwb", newline=None)

        def say(text):
            lines.write(text.encode() + b"\r\n")
            lines.flush()

        if greets:
            say("220 mail.test ESMTP")
        to = None
        while line := lines.readline():
            line = line.decode().rstrip("\r\n")
            self.lines.append(line)
            word = line.split(" ")[0].upper()
            if word in self.answers:
                say(self.answers[word])
            elif word == "EHLO":
                offers = (["STARTTLS"] if starttls else []) + (["AUTH PLAIN"] if self.signs_in else [])
                say("\r\n".join(("250-mail.test", *(f"250-{offer}" for offer in offers), "250 OK")))
            elif word == "STARTTLS" and starttls:
                say("220 go on")
                self.lines.append("TLS")
                self.talk(self.context.wrap_socket(connection, server_side=True), greets=False)
                return
            elif word == "AUTH":
                say("334 ")
                self.lines.append(lines.readline().decode().strip())
                say("235 fine")
            elif word == "RCPT":
                to = re.search("<(.*)>", line)[1]
                say("250 fine")
            elif word == "DATA":
                say("354 go on")
                text = b""
                while not text.endswith(b"\r\n.\r\n"):
                    piece = lines.readline()
                    if not piece:
                        return
                    text += piece
                self.mails.append((to, email.message_from_bytes(text[:-3],
                                                                policy=email.policy.default)))
                say("250 taken")
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 fine")


class MailTestCase(LoginTestCase):
    """A server that sends mail to `mail`, with an administrator who watches."""

    SERVER, SCHEME, HOST, MORE = {}, "smtp", "127.0.0.1", ()

    @classmethod
    def setUpClass(cls):
        cls.mail = MailServer(**cls.SERVER).__enter__()
        cls.addClassCleanup(cls.mail.__exit__)
        cls.ARGUMENTS = ("--mail.smtp", cls.mail.url(cls.SCHEME, cls.HOST), "--mail.from",
                         "koya@registry.test", *cls.MORE)
        super().setUpClass()

    def publish(self, token, address, version):
        answer = self.koya.put_module(address, version, tar_gz({"main.tf": f"# {version}\n"}),
                                      token=token)
        self.assertEqual(answer.status, 201, answer)

    def watching(self, address):
        """A token of a user with an address, who watches a module that was published before."""
        token = self.admin_token()
        self.command(token, "user", "set", ADMIN, "--email", "root@mail.test")
        self.publish(token, address, "1.0.0")
        self.assertIn("mail: now", self.command(token, "watch", address, "--mail", "now"))
        return token

    def next_mail(self):
        return wait_until(lambda: self.mail.mails and self.mail.mails.pop(0), "a mail arrives",
                          MAIL_SECONDS)

    def failure(self, words):
        """Waits until the log has it, once."""
        def records():
            return [r for r in self.koya.log_records() if r["message"].startswith("mail cannot")
                    and words in json.dumps(r)]
        wait_until(records, f"the log says: {words}", MAIL_SECONDS)
        self.assertEqual(len(records()), 1)


class Notifications(MailTestCase):
    def test_a_watch_tells_by_page_command_and_mail(self):
        token = self.watching("acme/vpc/aws")
        watches = json.loads(self.command(token, "watch", "--list", "--json"))["watches"]
        self.assertEqual([(w["kind"], w["address"], w["mail"]) for w in watches],
                         [("module", "acme/vpc/aws", "now")])
        # Versions that follow each other are one mail, and one line.
        for version in ("1.1.0", "1.2.0", "1.3.0"):
            self.publish(token, "acme/vpc/aws", version)
        seen = self.koya.request("GET", "/api/v1/notifications", token=token).json()
        self.assertEqual([e["version"] for e in seen["events"]],
                         ["1.3.0", "1.2.0", "1.1.0", "1.0.0"])
        self.assertEqual((seen["unseen"], seen["email"]), (4, "root@mail.test"))
        to, mail = self.next_mail()
        self.assertEqual(to, "root@mail.test")
        self.assertIn("acme/vpc/aws", mail["Subject"])
        self.assertIn("1.1.0, 1.2.0, 1.3.0\n", mail.get_content())
        self.assertEqual(mail["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click")
        self.ended_with_one_click(token, mail["List-Unsubscribe"].strip("<>"))
        self.assertIn("no longer", self.command(token, "watch", "acme/vpc/aws", "--end"))

    def ended_with_one_click(self, token, link):
        def is_ended():
            return self.koya.request("GET", "/api/v1/notifications", token=token).json()["mail_ended"]

        path = link.removeprefix(self.koya.url)
        page = self.koya.get(path)
        self.assertEqual(page.status, 200, page)
        self.assertIn(b"<form", page.body)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        wrong = self.koya.request("POST", path[:-3] + "xxx", "List-Unsubscribe=One-Click", form)
        self.assertEqual(wrong.status, 404, wrong)
        self.assertFalse(is_ended(), "a GET ends nothing")
        ended = self.koya.request("POST", path, "List-Unsubscribe=One-Click", form)
        self.assertEqual(ended.status, 200, ended)
        self.assertTrue(is_ended())

    def test_an_address_counts_once_it_is_confirmed(self):
        browser = self.browser()
        browser.open(f"{self.koya.url}/-/notifications")
        browser.sign_in()
        self.assertEqual(browser.submit("email", email="not one", do="email").status, 422)
        self.assertEqual(browser.submit("email", email="ada@mail.test", do="email").status, 200)
        to, mail = self.next_mail()
        self.assertEqual(to, "ada@mail.test")
        link = re.search(r"https://\S+key=\S+", mail.get_content())[0]
        other = self.browser()
        other.open(link)
        self.assertNotIn("goes to ada@mail.test", browser.open(f"{self.koya.url}/-/notifications").text)
        self.assertEqual(other.submit("key").status, 200)
        self.assertIn("ada@mail.test", browser.open(f"{self.koya.url}/-/notifications").text)
        other.open(link)
        self.assertEqual(other.submit("key").status, 404, "it is good once")


class RefusingServer(MailTestCase):
    def test_later_is_tried_again_and_never_is_given_up(self):
        token = self.watching("acme/vpc/aws")
        self.mail.answers["RCPT"] = "451 come again"
        self.publish(token, "acme/vpc/aws", "1.1.0")
        wait_until(lambda: any("RCPT" in line for line in self.mail.lines), "it is tried", MAIL_SECONDS)
        self.mail.answers.clear()
        _, mail = self.next_mail()
        self.assertIn("1.1.0", mail.get_content())
        self.mail.answers["RCPT"] = "550 no such user"
        self.publish(token, "acme/vpc/aws", "1.2.0")

        def given_up():
            return [r for r in self.koya.log_records() if r["message"].startswith("a mail was refused")]
        wait_until(given_up, "it is given up", MAIL_SECONDS)
        self.assertEqual(self.mail.mails, [])


class SlowServer(MailTestCase):
    def test_it_has_a_deadline(self):
        token = self.watching("acme/vpc/aws")
        self.mail.slow.set()
        self.publish(token, "acme/vpc/aws", "1.1.0")
        self.failure("too slow")
        self.assertEqual(self.koya.get("/readyz").status, self.koya.get("/readyz").status)
        self.mail.slow.clear()
        _, mail = self.next_mail()
        self.assertIn("1.1.0", mail.get_content())


class WithoutStarttls(MailTestCase):
    """0.0.0.0 is this machine, too, but no loopback address."""

    SERVER, HOST = {"host": "0.0.0.0"}, "0.0.0.0"

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        (folder / "password").write_text(PASSWORD + "\n")
        cls.MORE = ("--mail.user", "koya", "--mail.password_file", str(folder / "password"))
        super().setUpClass()

    def test_nothing_is_sent(self):
        token = self.watching("acme/vpc/aws")
        self.mail.signs_in = True
        self.publish(token, "acme/vpc/aws", "1.1.0")
        self.failure("STARTTLS")
        self.assertEqual(self.mail.mails, [])
        said = " ".join(self.mail.lines)
        for secret in ("AUTH", "MAIL", "RCPT", "DATA", PASSWORD,
                       base64.b64encode(f"\0koya\0{PASSWORD}".encode()).decode()):
            self.assertNotIn(secret, said)


class WithStarttls(MailTestCase):
    """Nothing but the start of TLS leaves in the clear; what happens within seconds is one mail."""

    HOST = "0.0.0.0"

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        (folder / "password").write_text(PASSWORD + "\n")
        both, own = koya_upstream.certificate()
        cls.SERVER = {"host": "0.0.0.0", "certificate": both}
        cls.MORE = ("--upstream.ca_file", str(own), "--mail.user", "koya", "--mail.password_file",
                    str(folder / "password"))
        super().setUpClass()

    def test_the_password_and_one_mail_follow_it(self):
        token = self.watching("acme/vpc/aws")
        self.mail.signs_in = True
        versions = [f"1.{minor}.0" for minor in range(1, 6)]
        for version in versions:
            self.publish(token, "acme/vpc/aws", version)
        to, mail = self.next_mail()
        self.assertEqual(to, "root@mail.test")
        for version in versions:
            self.assertIn(version, mail.get_content())
        self.assertEqual(self.mail.mails, [])
        at = self.mail.lines.index("TLS")
        self.assertEqual([line.split(" ")[0] for line in self.mail.lines[:at]], ["EHLO", "STARTTLS"])
        self.assertIn(base64.b64encode(f"\0koya\0{PASSWORD}".encode()).decode(),
                      " ".join(self.mail.lines[at:]))


@unittest.skipUnless((test_postgres.POSTGRES / "postgres").exists(), "PostgreSQL 15 is not installed")
class SeveralServers(MailTestCase):
    """Two on one database, both of which could send."""

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="koya-e2e-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "postgres").mkdir()
        postgres = cls.enterClassContext(test_postgres.Postgres(folder / "postgres"))
        cls.MORE = ("--catalog.url", postgres.url, "--server.secret_file", str(folder / "server.secret"))
        super().setUpClass()
        second = cls.shared / "second"
        second.mkdir()
        (second / "blobs").symlink_to(cls.shared / "data" / "blobs")
        cls.second = cls.enterClassContext(SecureServer(second, *cls.ARGUMENTS))

    def test_each_change_is_sent_once(self):
        token = self.watching("acme/vpc/aws")
        self.publish(token, "acme/vpc/aws", "1.1.0")
        _, mail = self.next_mail()
        self.assertIn("1.1.0", mail.get_content())
        answer = self.second.put_module("acme/vpc/aws", "1.2.0", tar_gz({"main.tf": "# 1.2.0\n"}),
                                        token=token)
        self.assertEqual(answer.status, 201, answer)
        # Had the other server sent the first change, too, that mail would be the next one.
        _, mail = self.next_mail()
        self.assertIn("1.2.0", mail.get_content())
        self.assertNotIn("1.1.0", mail.get_content())
        self.assertEqual(self.mail.mails, [])


class WrongCertificate(MailTestCase):
    """The certificate is this test's own, which no one else trusts."""

    SCHEME = "smtps"

    @classmethod
    def setUpClass(cls):
        cls.SERVER = {"certificate": koya_upstream.certificate()[0], "tls_at_once": True}
        super().setUpClass()

    def test_nothing_is_sent(self):
        token = self.watching("acme/vpc/aws")
        self.publish(token, "acme/vpc/aws", "1.1.0")
        self.failure("certificate")
        self.assertEqual((self.mail.mails, self.mail.lines), ([], []))


if __name__ == "__main__":
    koya_e2e.main()
