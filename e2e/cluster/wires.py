#!/usr/bin/env python3
"""Wires between the parts of a cluster: TCP proxies of our own that can fail like networks do.

A wire listens on a port and leads to another. Each of its two directions can be frozen
(bytes wait, nobody is told), delayed and slowed; the whole wire can be cut (all connections are
reset), made to refuse, and led elsewhere. With several targets it takes turns and passes over those
that refuse: a small balancer, where there is no other.

The wires live in a process of their own (this file as a program, told what to do by JSON lines on
its standard input), so that the load does not slow them and they do not slow the load. `Wires` is
the harness's side of it.
"""
import asyncio
import contextlib
import itertools
import json
import pathlib
import socket
import struct
import subprocess
import sys
import threading

import ports

CHUNK = 65536
CONNECT_SECONDS = 5
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST


# ---- the process of the wires

class Flow:
    """One direction of a wire."""

    def __init__(self):
        self.open = asyncio.Event()
        self.open.set()
        self.delay = 0.0  # seconds before a piece goes on
        self.rate = 0  # bytes a second; 0: as fast as it goes

    def change(self, freeze=None, delay=None, rate=None):
        if freeze is not None:
            (self.open.clear if freeze else self.open.set)()
        self.delay = self.delay if delay is None else delay
        self.rate = self.rate if rate is None else rate

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(min(CHUNK, self.rate // 10 + 1) if self.rate else CHUNK):
                await self.pass_on(data, writer)
            await self.open.wait()
            writer.write_eof()
        except (OSError, RuntimeError):
            writer.transport.abort()  # one side has gone: the other is told

    async def pass_on(self, data, writer):
        await self.open.wait()
        if self.delay:
            await asyncio.sleep(self.delay)
        writer.write(data)
        await writer.drain()
        if self.rate:
            await asyncio.sleep(len(data) / self.rate)


class Wire:
    def __init__(self, targets, host, source):
        self.targets, self.turn = targets, itertools.count()
        self.host, self.source = host, (source, 0) if source else None
        self.forward, self.back = Flow(), Flow()
        self.open, self.server, self.port = set(), None, 0

    async def listen(self, port=0):
        self.server = await asyncio.start_server(self.serve, self.host, port, backlog=512)
        self.port = self.server.sockets[0].getsockname()[1]

    async def refuse(self, on):
        """Nobody listens: connecting is refused, as where no process is."""
        if on and self.server:
            self.server.close()
            self.server = None
        elif not on and not self.server:
            await self.listen(self.port)

    def cut(self):
        for writer in list(self.open):
            sock = writer.get_extra_info("socket")
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            writer.transport.abort()

    async def connect(self):
        """To the next target that takes the connection."""
        first = next(self.turn)
        for each in range(len(self.targets)):
            host, port = self.targets[(first + each) % len(self.targets)]
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                return await asyncio.wait_for(
                    asyncio.open_connection(host, port, local_addr=self.source), CONNECT_SECONDS)
        raise ConnectionRefusedError

    async def serve(self, reader, writer):
        self.open.add(writer)
        other = None
        try:
            await self.forward.open.wait()  # what opens a connection is lost, too
            other_reader, other = await self.connect()
            self.open.add(other)
            await asyncio.gather(self.forward.pump(reader, other),
                                 self.back.pump(other_reader, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for each in (writer, other):
                self.open.discard(each)
                if each:
                    each.transport.abort() if each.transport.is_closing() else each.close()


class Switchboard:
    """All wires by name, and the commands about them."""

    def __init__(self):
        self.wires = {}

    async def add(self, name, to, port=0, host="127.0.0.1", source=None):
        wire = Wire([tuple(each) for each in to], host, source)
        await wire.listen(port)
        self.wires[name] = wire
        return wire.port

    async def change(self, name, forward=None, back=None, cut=False, refuse=None, to=None):
        wire = self.wires[name]
        wire.forward.change(**(forward or {}))
        wire.back.change(**(back or {}))
        if to is not None:
            wire.targets = [tuple(each) for each in to]
        if refuse is not None:
            await wire.refuse(refuse)
        if cut:
            wire.cut()

    async def obey(self, line):
        command = json.loads(line)
        return await getattr(self, command.pop("do"))(**command)


async def run():
    board = Switchboard()
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        try:
            answer = {"result": await board.obey(line)}
        except Exception as failure:  # told to the harness, which raises it
            answer = {"failure": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(answer), flush=True)


# ---- the harness's side

OPEN = {"freeze": False, "delay": 0, "rate": 0}


class Wires:
    """The process of the wires, as a context manager."""

    def __enter__(self):
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-B", pathlib.Path(__file__).resolve()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def tell(self, do, **more):
        with self.lock:
            self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        if "failure" in answer:
            raise RuntimeError(f"{do} {more}: {answer['failure']}")
        return answer["result"]

    def add(self, name, *targets, host="127.0.0.1", to="127.0.0.1", source=None):
        """A wire to those ports of `to`; returns its own, of `host`. `source`: whence it connects."""
        return self.tell("add", name=name, to=[(to, each) for each in targets],
                         port=ports.free_port(), host=host, source=source)

    def lead(self, name, *targets):
        """The wire leads there from now on; who is connected to the old target is cut off."""
        self.tell("change", name=name, to=[("127.0.0.1", each) for each in targets], cut=True)

    def freeze(self, name, forward=True, back=True):
        self.tell("change", name=name, forward={"freeze": forward}, back={"freeze": back})

    def slow(self, name, delay=0.0, rate=0):
        """Every piece is delayed, either way; `rate` in bytes a second."""
        self.tell("change", name=name, forward={"delay": delay, "rate": rate},
                  back={"delay": delay, "rate": rate})

    def cut(self, name):
        self.tell("change", name=name, cut=True)

    def refuse(self, name):
        self.tell("change", name=name, refuse=True, cut=True)

    def heal(self, name):
        self.tell("change", name=name, forward=OPEN, back=OPEN, refuse=False)


if __name__ == "__main__":
    asyncio.run(run())
