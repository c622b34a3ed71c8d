"""Wall clocks that are wrong: a preload of our own (clock_preload.c), built with the machine's compiler,
and for each replica a file that says by how much its clock is off."""
import pathlib
import shutil
import struct
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "clock_preload.c"


class Clocks:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.library = self.folder / "clock.so"
        self.why_not = self.build()

    def build(self):
        """None, or why clocks cannot be moved here."""
        compiler = shutil.which("cc") or shutil.which("clang-19")
        if not compiler:
            return "no C compiler"
        done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(self.library),
                               str(SOURCE), "-ldl"], capture_output=True, text=True)
        return None if done.returncode == 0 else f"the preload does not build: {done.stderr[-300:]}"

    def environment(self, name):
        """What a process is started with so that its clock can be moved."""
        if self.why_not:
            return {}
        self.move(name, 0)
        return {"LD_PRELOAD": str(self.library), "KOYA_CLOCK": str(self.file(name))}

    def file(self, name):
        return self.folder / f"{name}.offset"

    def move(self, name, seconds):
        """In place: the process has the file mapped."""
        with open(self.file(name), "r+b" if self.file(name).exists() else "w+b") as file:
            file.write(struct.pack("q", seconds))
