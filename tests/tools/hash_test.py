"""warpath hash and render."""
import unittest

from tool import ToolTest


class HashTest(ToolTest):
    def test_stdout_holds_one_hash_a_part_and_one_in_all(self):
        done = self.run_tool("hash", "--reduced")
        self.assertEqual(done.returncode, 0)
        lines = [line.split() for line in done.stdout.splitlines()]
        for line in lines:
            self.assertEqual(len(line), 2)
            self.assertRegex(line[1], "^[0-9a-f]{16}$")
        self.assertEqual(lines[-1][0], "all")
        self.assertEqual(len({name for name, _ in lines}), len(lines))

    def test_threads_change_nothing(self):
        one = self.run_json("hash", "--reduced")
        self.assertEqual(set(one), {"parts", "hash"})
        self.assertEqual(self.run_json("hash", "--reduced", "--threads", 3), one)

    def test_bad_thread_counts_are_refused(self):
        self.assert_refused("hash", "--threads", "0", naming=["--threads", "0"])
        self.assert_refused("hash", "--threads", "many", naming=["--threads", "many"])


class RenderTest(ToolTest):
    def test_every_layer_draws_a_picture(self):
        for layer in ["terrain", "threat", "cover", "exposure", "congestion", "clearance", "components", "flow", "clusters"]:
            picture = self.path(layer + ".png")
            done = self.run_tool("render", "--map", self.map, "--terrain", "--layers", "terrain," + layer, "--png", picture)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_picture(picture)

    def test_part_of_a_map_and_a_map_larger_than_the_picture(self):
        picture = self.path("part.png")
        self.assertEqual(self.run_tool("render", "--map", self.map, "--area", "2,1,4,4", "--png", picture).returncode, 0)
        self.assert_picture(picture)
        wide = self.write_map("wide.map", ["." * 700] * 20)
        self.assertEqual(self.run_tool("render", "--map", wide, "--pixels", 300, "--png", picture).returncode, 0)
        self.assertLess(self.assert_picture(picture)[0], 700)

    def test_bad_arguments_are_refused(self):
        def refused(*more, naming):
            self.assert_refused("render", "--map", self.map, *more, naming=naming)
        refused(naming=["--png"])
        refused("--png", self.path("x.png"), "--layers", "terrain,gold", naming=["--layers", "gold", "clearance"])
        refused("--png", self.path("x.png"), "--area", "1,2,3", naming=["--area", "1,2,3"])
        refused("--png", self.path("x.png"), "--area", "100,100,5,5", naming=["--area", "100,100,5,5"])
        refused("--png", "/no/such/x.png", naming=["/no/such/x.png"])


if __name__ == "__main__":
    unittest.main()
