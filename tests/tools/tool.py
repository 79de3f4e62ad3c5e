"""What the tests of the tool share: running it, small maps, checks of pictures."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

TOOL = os.environ.get("WARPATH_TOOL", "build/release/tools/warpath")
DATA = os.environ.get("WARPATH_TEST_DATA", "../shared/data")
SOURCE = os.environ.get("WARPATH_SOURCE_DIR", ".")

# A room of 12 x 8 with a wall that has one gap, and a pocket in the south east corner that nothing leads to.
ROOM = ["............",
        "............",
        ".....@......",
        ".....@......",
        ".....@......",
        ".....@...@@@",
        ".....@...@..",
        ".....@...@.."]


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.map = self.write_map("room.map", ROOM)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def write_map(self, name, rows):
        return self.write(name, f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n" + "\n".join(rows) + "\n")

    def run_tool(self, *arguments, stdin=None):
        done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, input=stdin)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        return done

    def run_json(self, *arguments, status=0):
        """The one JSON document that a command prints."""
        done = self.run_tool(*arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        return json.loads(done.stdout)

    def assert_refused(self, *arguments, naming):
        """Bad input: exit status 2, nothing on stdout, one line that holds every text of `naming`."""
        done = self.run_tool(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in naming:
            self.assertIn(text, done.stderr)

    def assert_picture(self, path, colours=3):
        """A complete PNG of 8-bit RGB that decodes and holds at least so many colours. Returns width and height."""
        with open(path, "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        at, packed, kinds, size = 8, b"", [], None
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            self.assertEqual(struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], zlib.crc32(kind + body))
            kinds.append(kind)
            if kind == b"IHDR":
                width, height, depth, colour = struct.unpack(">IIBB", body[:10])
                self.assertEqual((depth, colour), (8, 2))
                size = width, height
            if kind == b"IDAT":
                packed += body
            at += 12 + length
        self.assertEqual(kinds[-1], b"IEND")
        raw = zlib.decompress(packed)
        self.assertEqual(len(raw), size[1] * (1 + 3 * size[0]))
        self.assertGreaterEqual(len({raw[i:i + 3] for i in range(1, len(raw) - 3, 3)}), colours)
        return size

    def data_file(self, name):
        found = os.path.join(DATA, name)
        if not os.path.exists(found):
            self.skipTest(f"{found} is not there")
        return found
