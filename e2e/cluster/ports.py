"""Ports that stay ours while nobody listens on them: not of those that outgoing connections are given."""
import contextlib
import pathlib
import random
import socket

TAKEN = set()


def outgoing():
    """(first, last) of the ports that the kernel gives to outgoing connections."""
    with contextlib.suppress(OSError, ValueError):
        text = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
        first, last = map(int, text.split())
        return first, last
    return 32768, 60999


def free_port():
    """Of 127.0.0.1; not given twice by this process."""
    first, _ = outgoing()
    dice = random.SystemRandom()
    while True:
        port = dice.randrange(10_000, max(first, 20_000))
        if port not in TAKEN and is_free(port):
            TAKEN.add(port)
            return port


def is_free(port):
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False
