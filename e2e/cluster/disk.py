"""A disk that can be full: a file system in memory whose size is changed while it is used. Where nothing
may be mounted, a plain folder that never is."""
import contextlib
import os
import pathlib
import subprocess

ROOMY = "6g"  # a bound, not an allocation


class Disk:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.why_not = self.mount()

    def mount(self):
        """None, or why there is no small disk."""
        if os.geteuid() != 0:
            return "mounting a small disk needs root"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOMY}", "tmpfs",
                               str(self.folder)], capture_output=True, text=True)
        return None if done.returncode == 0 else f"no small disk: {done.stderr.strip()}"

    def resize(self, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True,
                       capture_output=True)

    def fill(self):
        """Nothing more fits, but for what is left of a few pages."""
        for spare in (0, 64, 256, 1024, 4096):  # somebody may write between looking and shrinking
            state = os.statvfs(self.folder)
            used = (state.f_blocks - state.f_bfree + spare) * state.f_frsize
            with contextlib.suppress(subprocess.CalledProcessError):
                return self.resize(used)
        raise AssertionError("the disk fills faster than it shrinks")

    def empty(self):
        self.resize(ROOMY)

    def unmount(self):
        if not self.why_not:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)
