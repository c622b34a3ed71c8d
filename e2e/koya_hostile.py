"""Archives that clients and a stricter or laxer reader see differently, and ones that cost much.

Each of the first sort hides HIDDEN where only a client sees it.
"""
import gzip
import struct
import zlib

SEEN = b'output "who" {\n  value = "inspected"\n}\n'
HIDDEN = b'output "who" {\n  value = "HIDDEN"\n}\n'
GNU = b"ustar  \0"


def header(name, size=0, *, kind=b"0", mode=b"0000644", magic=b"ustar\x0000", raw_size=None,
           times=b"", target=b""):
    """A tar header of 512 bytes; its checksum is right, whatever else it says."""
    block = bytearray(512)
    for offset, text in ((0, name), (100, mode), (108, b"0000000"), (116, b"0000000"),
                         (124, raw_size or b"%011o" % size), (136, b"00000000000"),
                         (148, b" " * 8), (156, kind), (157, target), (257, magic),
                         (345, times)):
        block[offset:offset + len(text)] = text
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def entry(name, data, **how):
    return header(name, len(data), **how) + data + bytes(-len(data) % 512)


def pax(kind, **records):
    body = b""
    for key, value in records.items():
        rest = len(key) + len(value) + 3
        size = next(n for n in range(rest + 1, rest + 9) if n == rest + len(str(n)))
        body += b"%d %s=%s\n" % (size, key.encode(), value)
    return entry(b"pax", body, kind=kind)


def packed(*entries):
    return gzip.compress(b"".join(entries) + bytes(1024), mtime=0)


def nul_before_size():
    """A size of "\\0" "0000001000": 0 to who stops at the NUL, 512 to clients."""
    inner = entry(b"main.tf", HIDDEN) + entry(b"MAIN.TF", HIDDEN)
    return packed(header(b"zz.txt", raw_size=b"\x000000001000"), header(b"main.tf", len(inner)),
                  inner)


def local_then_global():
    """Clients forget a header that extends an entry when a global one comes between."""
    inner = entry(b"main.tf", HIDDEN) + entry(b"nested/other.tf", HIDDEN)
    return packed(pax(b"x", size=b"%d" % (512 + len(inner)), path=b"main.tf"),
                  pax(b"g", comment=b"0123456789"), entry(b"readme.txt", SEEN), inner)


def gnu_prefix():
    """Clients take for a folder's name what stands where GNU's headers have times."""
    return packed(entry(b"main.tf", SEEN), entry(b"x.tf", HIDDEN, magic=GNU, times=b"folder"))


def folder_by_mode():
    return packed(entry(b"main.tf", SEEN, mode=b"0040755"), entry(b"x.tf", SEEN))


def local_file(name, data):
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, zlib.crc32(data), len(data),
                       len(data), len(name), 0) + name + data


def record(name, data, offset, comment=b""):
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 3 << 8 | 20, 20, 0, 0, 0, 0,
                       zlib.crc32(data), len(data), len(data), len(name), 0, len(comment), 0, 0,
                       0o100755 << 16, offset) + name + comment


def laid_out(files, start=0):
    """(the files one after the other, their directory)"""
    body = directory = b""
    for name, data in files:
        directory += record(name, data, start + len(body))
        body += local_file(name, data)
    return body, directory


def two_directories(seen, hidden, carrier):
    """A directory of 65,535 bytes whose last comment is a zip64 locator: clients follow it."""
    head = len(local_file(carrier, b""))
    inner, directory = laid_out(hidden, head)
    start, end64 = head + len(inner), head + len(inner) + len(directory)
    inner += directory + struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, len(hidden),
                                     len(hidden), len(directory), start)
    out, outer = laid_out([(carrier, inner), *seen])
    locator = struct.pack("<IIQI", 0x07064B50, 0, end64, 1)
    comment = b"C" * (0xFFFF - len(outer) - len(locator)) + locator
    name, data = seen[-1]
    last = len(record(name, data, 0))
    offset = len(out) - len(local_file(name, data))
    outer = outer[:-last] + record(name, data, offset, comment)
    assert len(outer) == 0xFFFF
    count = 1 + len(seen)
    return out + outer + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(outer),
                                     len(out), 0)


def zip_module():
    return two_directories([(b"main.tf", SEEN)],
                           [(b"main.tf", HIDDEN), (b"nested/other.tf", HIDDEN)], b"data.bin")


def zip_provider(program):
    name = program.encode()
    return two_directories([(name, b"#!/bin/sh\necho inspected\n")],
                           [(name, b"#!/bin/sh\necho HIDDEN\n"), (b"also/hidden", b"x")],
                           b"LICENSE")


MODULES = {"nul": nul_before_size, "global": local_then_global, "gnu": gnu_prefix,
           "mode": folder_by_mode, "size": zip_module}


def link_bomb(ways=40):
    """Nine folders of links, each to the next folder, the last to nowhere: ways^8 ways through."""
    links = [header(b"d%d/l%d" % (level, way), kind=b"2",
                    target=b"../d%d" % (level + 1) if level < 8 else b"nowhere")
             for level in range(9) for way in range(ways)]
    return packed(entry(b"main.tf", b"# a module\n"), *links)


def json_bomb(size=16 << 20, inside=False):
    """A list of versions that takes a hundred times its packed size; gzip it."""
    pieces = b"[]," * (size // 3)
    if inside:
        return b'{"versions":[' + pieces + b"{}]}"
    return b'{"versions":[{"version":"1.0.0"}],"x":[' + pieces + b"[]]}"
