"""A disk that can be full: a file system in memory whose size is changed while it is used. Where nothing
may be mounted, a plain folder that never is."""
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
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)

    def fill(self):
        """Nothing more fits, but for what is left of a page."""
        state = os.statvfs(self.folder)
        self.resize((state.f_blocks - state.f_bfree) * state.f_frsize)

    def empty(self):
        self.resize(ROOMY)

    def unmount(self):
        if not self.why_not:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)
