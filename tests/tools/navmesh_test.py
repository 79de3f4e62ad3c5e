"""warpath navmesh, render --layers navmesh, hash --navmesh."""
import json
import unittest

from tool import ToolTest


class NavmeshTest(ToolTest):
    def setUp(self):
        super().setUp()
        # A build without Recast says so in one line that names the remedy, for each of the three.
        probe = self.run_tool("navmesh", "--map", self.map)
        if probe.returncode == 2 and "not part of this build" in probe.stderr:
            picture = self.path("none.png")
            for arguments in (["navmesh", "--map", self.map], ["hash", "--navmesh"], ["render", "--map", self.map, "--layers", "navmesh", "--png", picture]):
                self.assert_refused(*arguments, naming=["navmesh", "librecast-dev"])
            self.skipTest("built without Recast")

    def test_a_mesh_is_counted_and_measured(self):
        mesh = self.run_json("navmesh", "--map", self.map)
        self.assertEqual(set(mesh), {"tiles", "polygons", "build_ms_per_tile", "bytes_per_tile"})
        self.assertEqual(mesh["tiles"], 4)  # one chunk, two by two tiles
        self.assertGreater(mesh["polygons"], 2)
        self.assertGreater(mesh["build_ms_per_tile"], 0)
        self.assertGreater(mesh["bytes_per_tile"], 0)

    def test_a_way_goes_round_the_wall(self):
        path = self.run_json("navmesh", "--map", self.map, "--from", "1,6", "--to", "7,6")["path"]
        self.assertEqual(path["status"], "found")
        self.assertEqual(path["algorithm"], "navmesh")
        self.assertEqual(path["search"], "exact")
        self.assertEqual(path["waypoints"][0], [1.5, 6.5])
        self.assertEqual(path["waypoints"][-1], [7.5, 6.5])
        # Over the wall's corners at (4.5, 1.5) and (6.5, 1.5): the radius of half a metre is kept.
        self.assertAlmostEqual(path["length"], (9 + 25) ** 0.5 + 2 + (1 + 25) ** 0.5, places=3)
        self.assertTrue(all(not (4.51 < x < 6.49 and y > 1.51) for x, y in path["waypoints"]))

    def test_text_says_what_the_settings_close(self):
        done = self.run_tool("navmesh", "--map", self.map, "--cell-size", 1, "--agent-radius", 1)
        self.assertEqual(done.returncode, 0)
        self.assertIn("radius 1 at cell size 1 closes gaps under 3 m", done.stdout)

    def test_other_commands_answer_on_the_mesh_when_told(self):
        ends = ["--map", self.map, "--from", "1,6", "--to", "7,6"]
        path = self.run_json("path", *ends, "--algorithm", "navmesh")
        self.assertEqual((path["algorithm"], path["status"]), ("navmesh", "found"))
        self.assertEqual(path["waypoints"], self.run_json("navmesh", *ends)["path"]["waypoints"])
        # A unit of two cells keeps a metre from the wall.
        wide = self.run_json("path", *ends, "--algorithm", "navmesh", "--constraints", '{"unit_radius": 1.0}')
        self.assertGreater(wide["length"], path["length"])
        done = self.run_tool("path", *ends, "--json", "--algorithm", "navmesh", "--constraints", '{"wall_weight": 2.0, "wall_distance": 2}')
        self.assertIn('"algorithm":"astar"', done.stdout)
        self.assertIn("--algorithm: navmesh prices length and terrain alone", done.stderr)
        for command in (["paths", *ends, "--count", "2"], ["edits", "--map", self.map, "--edits", "1", "--queries", "1"]):
            self.assert_refused(*command, "--algorithm", "navmesh", naming=["--algorithm", "navmesh", "auto"])

    def test_what_the_mesh_refuses_is_named_by_its_cause(self):
        # Two rooms, joined by a corridor of one cell, which half a metre of distance to walls closes.
        rooms = self.write_map("rooms.map", ["." * 8 + "@" * 8 + "." * 8] * 4 + ["." * 24] + ["." * 8 + "@" * 8 + "." * 8] * 4)
        def cause(start, goal, *more):
            done = self.run_tool("path", "--map", rooms, "--from", start, "--to", goal, "--algorithm", "navmesh", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.assertEqual(cause("1,1", "6,7"), "")
        self.assertTrue(cause("12,4", "1,1").startswith("--from: 12.5,4.5 is not on the navmesh: it lies nearer than the unit's half width of 0.5 m"))
        self.assertTrue(cause("1,1", "12,4").startswith("--to: 12.5,4.5 is not on the navmesh"))
        closed = cause("1,1", "20,1")
        self.assertTrue(closed.startswith("--to: 20.5,1.5 is not connected to 1.5,1.5 on the navmesh, which closes gaps under 2 m at a half width of 0.5 m"), closed)
        self.assertIn("--algorithm auto", closed)
        self.assertTrue(cause("1,1", "6,7", "--constraints", '{"wall_weight": 2.0, "wall_distance": 2}').startswith("--algorithm: navmesh prices length and terrain alone"))

    def test_serve_answers_on_the_mesh_or_refuses(self):
        request = '{"type":"single_path","request_id":1,"start":[1.5,6.5],"goal":[7.5,6.5],"algorithm":"navmesh"}\n'
        requests = self.write("r.jsonl", request)
        config = self.write("c.json", '{"algorithms": {"selection": {"individual_backend": "navmesh"}}}')
        def answer(*more):
            return json.loads(self.run_tool("serve", "--map", self.map, "--requests", requests, *more).stdout.splitlines()[0])["message"]
        refused = answer()
        self.assertEqual((refused["status"], refused["error"]["field"]), ("invalid_argument", "algorithm"))
        self.assertIn("individual_backend", refused["error"]["remedy"])
        # The first tick may ask before a builder on another thread has finished.
        self.assertEqual(answer("--config", config)["status"], "found")
        closed = self.write("closed.json", '{"algorithms": {"selection": {"individual_backend": "navmesh"}}, "navmesh": {"cell_size": 1, "agent_radius": 1}}')
        done = self.run_tool("serve", "--map", self.map, "--requests", requests, "--config", closed, "--threads", "0")
        self.assertIn("note: navmesh for units of 2: radius 1 at cell size 1 closes gaps under 3 m; the map has", done.stderr)
        self.assertEqual(answer("--config", config, "--threads", "0")["algorithm"], "navmesh")

    def test_what_is_not_connected_is_the_answer_no(self):
        path = self.run_json("navmesh", "--map", self.map, "--from", "1,1", "--to", "10,7", "--cell-size", 0.25, "--agent-radius", 0.25, status=1)["path"]
        self.assertEqual((path["status"], path["waypoints"], path["expansions"]), ("unreachable", [], 0))

    def test_text_and_json_say_the_status_in_the_same_words(self):
        cliff = self.write_map("cliff.map", ["." * 8 + "@" * 8] * 8)
        for start, goal, status in (("1,1", "6,6", "found"), ("14,4", "1,1", "start_blocked"), ("1,1", "14,4", "goal_blocked")):
            ends = ["navmesh", "--map", cliff, "--from", start, "--to", goal]
            code = 0 if status == "found" else 1
            self.assertEqual(self.run_json(*ends, status=code)["path"]["status"], status)
            done = self.run_tool(*ends)
            self.assertEqual(done.returncode, code)
            self.assertRegex(done.stdout, rf"(?m)^(no )?way: {status} ")

    def test_pictures_show_mesh_and_way(self):
        picture = self.path("way.png")
        self.assertEqual(self.run_tool("navmesh", "--map", self.map, "--from", "1,6", "--to", "7,6", "--png", picture).returncode, 0)
        self.assert_picture(picture, 6)
        self.assertEqual(self.run_tool("render", "--map", self.map, "--layers", "terrain,navmesh", "--png", picture).returncode, 0)
        self.assert_picture(picture, 6)

    def test_the_navmesh_has_hashes_of_its_own(self):
        one = self.run_json("hash", "--navmesh", "--reduced")
        self.assertEqual(set(one["parts"]), {"navmesh_tiles", "navmesh_paths"})
        self.assertEqual(self.run_json("hash", "--navmesh", "--reduced", "--threads", 2), one)
        self.assertNotIn("navmesh_tiles", self.run_json("hash", "--reduced")["parts"])

    def test_bad_arguments_are_refused(self):
        def refused(*more, naming):
            self.assert_refused("navmesh", "--map", self.map, *more, naming=naming)
        refused("--cell-size", "0.3", naming=["--cell-size", "0.3", "0.25"])
        refused("--agent-radius", "nan", naming=["--agent-radius", "nan"])
        refused("--agent-radius", "9", naming=["--agent-radius", "9", "8"])
        refused("--from", "1,1", naming=["--to"])
        refused("--to", "1,1", naming=["--from"])
        refused("--from", "1,1", "--to", "500,1", naming=["--to", "500.5"])
        refused("--png", "/no/such/x.png", naming=["/no/such/x.png"])


if __name__ == "__main__":
    unittest.main()
