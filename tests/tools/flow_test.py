"""warpath flow: dumps against a slow search, pictures, refusals."""
import heapq
import math
import unittest

from tool import ROOM, ToolTest

STEPS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]


def free(x, y):
    return 0 <= y < len(ROOM) and 0 <= x < len(ROOM[0]) and ROOM[y][x] == "."


def legal(x, y, dx, dy):
    return free(x + dx, y + dy) and free(x + dx, y) and free(x, y + dy)


def exact_distances(goal):
    best, heap = {goal: 0.0}, [(0.0, goal)]
    while heap:
        d, (x, y) = heapq.heappop(heap)
        if d > best[x, y]:
            continue
        for dx, dy in STEPS:
            to = (x + dx, y + dy)
            if legal(x, y, dx, dy) and d + math.hypot(dx, dy) < best.get(to, math.inf) - 1e-9:
                best[to] = d + math.hypot(dx, dy)
                heapq.heappush(heap, (best[to], to))
    return best


class FlowTest(ToolTest):
    def dump(self, *more):
        """Header and rows of a dump: a row is (d, (dx, dy), (next x, next y))."""
        file = self.path("field.txt")
        done = self.run_tool("flow", "--map", self.map, "--dump", file, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(file, encoding="ascii") as text:
            header, *lines = text.read().splitlines()
        rows = []
        for line in lines:
            d, dx, dy, x, y = line.split()
            rows.append((float(d), (float(dx), float(dy)), (int(x), int(y))))
        return header, rows

    def test_json_has_exactly_the_documented_keys(self):
        for method in ["dijkstra", "fmm", "fmm2"]:
            answer = self.run_json("flow", "--map", self.map, "--goal", "8,7", "--method", method)
            self.assertEqual(list(answer), ["cells", "reachable", "ms", "ns_per_cell", "hash"])
            self.assertEqual((answer["cells"], answer["reachable"]), (96, 96 - 6 - 5 - 4))
            self.assertRegex(answer["hash"], "^[0-9a-f]{16}$")

    def test_the_dump_of_dijkstra_is_exact_and_its_arrows_pay_what_they_promise(self):
        header, rows = self.dump("--goal", "8,7")
        self.assertEqual(header, "warpath-flow 1 12 8 8 7")
        self.assertEqual(len(rows), 96)
        want = exact_distances((8, 7))
        for i, (d, (dx, dy), (nx, ny)) in enumerate(rows):
            x, y = i % 12, i // 12
            if (x, y) not in want:
                self.assertEqual((d, dx, dy, nx, ny), (math.inf, 0, 0, -1, -1))
                continue
            self.assertAlmostEqual(d, want[x, y], delta=1e-5 * (1 + d))
            if (x, y) == (8, 7):
                self.assertEqual((d, dx, dy, nx, ny), (0, 0, 0, -1, -1))
                continue
            self.assertTrue(legal(x, y, nx - x, ny - y))
            self.assertAlmostEqual(rows[ny * 12 + nx][0] + math.hypot(nx - x, ny - y), d, delta=1e-4)
            self.assertAlmostEqual(math.hypot(dx, dy), 1, places=5)

    def test_fast_marching_leads_downhill_at_any_angle(self):
        for method in ["fmm", "fmm2"]:
            header, rows = self.dump("--goal", "8,7", "--method", method)
            self.assertEqual(header, "warpath-flow 1 12 8 8 7")
            want, angles = exact_distances((8, 7)), set()
            for i, (d, (dx, dy), (nx, ny)) in enumerate(rows):
                x, y = i % 12, i // 12
                self.assertEqual(d == math.inf, (x, y) not in want)
                if d in (0, math.inf):
                    continue
                self.assertLess(d, want[x, y] + 0.6)
                self.assertTrue(legal(x, y, nx - x, ny - y))
                falls = [((d - rows[(y + sy) * 12 + x + sx][0]) / math.hypot(sx, sy)) for sx, sy in STEPS if legal(x, y, sx, sy)]
                self.assertAlmostEqual((d - rows[ny * 12 + nx][0]) / math.hypot(nx - x, ny - y), max(falls), places=4)
                self.assertAlmostEqual(math.hypot(dx, dy), 1, places=5)
                sx, sy = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
                self.assertTrue(legal(x, y, sx, sy), (x, y, dx, dy))
                angles.add(round(math.degrees(math.atan2(dy, dx))))
            self.assertGreater(len(angles), 12)

    def test_near_the_goal_vectors_may_be_straight_and_all_else_stays(self):
        _, plain = self.dump("--goal", "8,7")
        _, straight = self.dump("--goal", "8,7", "--straight", "20")
        self.assertEqual([(d, to) for d, _, to in plain], [(d, to) for d, _, to in straight])
        turned = 0
        for i, ((_, before, _), (_, (dx, dy), _)) in enumerate(zip(plain, straight)):
            if (dx, dy) == before:
                continue
            turned += 1
            to = (8 - i % 12, 7 - i // 12)
            self.assertAlmostEqual(dx * to[0] + dy * to[1], math.hypot(*to), places=4)
        self.assertGreater(turned, 0)

    def test_of_several_goals_the_nearest_wins(self):
        _, rows = self.dump("--goal", "0,0", "--goal", "11,0")
        self.assertEqual((rows[1][2], rows[10][2]), ((0, 0), (11, 0)))
        self.assertEqual((rows[0][0], rows[11][0]), (0, 0))

    def test_a_blocked_goal_is_answered_no_unless_partial(self):
        answer = self.run_json("flow", "--map", self.map, "--goal", "5,4", status=1)
        self.assertEqual((list(answer), answer["status"]), (["status", "error"], "goal_blocked"))
        self.assertEqual(answer["error"], {"field": "--goal", "value": "[5.5,4.5] is no place where the unit can stand",
                                           "remedy": "use a free place in metres from [0,0] to below [12,8]"})
        done = self.run_tool("flow", "--map", self.map, "--goal", "5,4")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "--goal: [5.5,4.5] is no place where the unit can stand; use a free place in metres from [0,0] to below [12,8], "
                                      "or --partial for what is nearest\n")
        header, rows = self.dump("--goal", "5,4", "--partial", "--method", "fmm2")
        self.assertEqual(header, "warpath-flow 1 12 8 4 4")
        self.assertEqual(rows[4 * 12 + 6][0], 0)

    def test_a_goal_off_the_map_is_answered_no_wherever_it_stands(self):
        off = "--goal: [40.5,7.5] lies off the map; use metres from [0,0] to below [12,8]"
        for goals in (["--goal", "40,7"], ["--goal", "1,1", "--goal", "40,7"], ["--goal", "40,7", "--goal", "1,1"]):
            for method in ("dijkstra", "fmm2"):
                answer = self.run_json("flow", "--map", self.map, *goals, "--method", method, status=1)
                self.assertEqual((list(answer), answer["status"], list(answer["error"])), (["status", "error"], "goal_blocked", ["field", "value", "remedy"]))
                self.assertEqual("{field}: {value}; {remedy}".format(**answer["error"]), off)
            done = self.run_tool("flow", "--map", self.map, *goals)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
            self.assertIn(off, done.stderr)
        done = self.run_tool("flow", "--map", self.map, "--goal", "1,1", "--goal", "40,7", "--partial")
        self.assertEqual((done.returncode, done.stderr), (0, off + "; the field leads to the other goals\n"))
        done = self.run_tool("flow", "--map", self.map, "--goal", "40,7", "--partial")
        self.assertEqual((done.returncode, done.stderr), (0, off + "; the field leads to the nearest free cells\n"))

    def test_a_blocked_goal_beside_a_free_one_is_told(self):
        done = self.run_tool("flow", "--map", self.map, "--goal", "5,4", "--goal", "1,1")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1))
        self.assertIn("--goal: [5.5,4.5] is no place where the unit can stand", done.stderr)
        self.assertEqual(self.run_tool("flow", "--map", self.map, "--goal", "8,7", "--goal", "8,7", "--goal", "1,1").stderr, "")

    def test_a_map_without_free_ground_is_answered_no(self):
        rock = self.write_map("rock.map", ["@@@@"] * 3)
        for more in ([], ["--partial"], ["--method", "fmm"]):
            answer = self.run_json("flow", "--map", rock, "--goal", "1,1", *more, status=1)
            self.assertEqual((answer["status"], answer["error"]["field"]), ("goal_blocked", "--goal"))
            self.assertIn("[1.5,1.5] is blocked", answer["error"]["value"])
            self.assertIn("[0,0] to below [4,3]", answer["error"]["remedy"])
        self.assertEqual(self.run_json("flow", "--map", rock, "--goal", "9,1", status=1)["error"]["value"], "[9.5,1.5] lies off the map")

    def test_without_a_way_from_the_places_the_right_cause_is_named(self):
        rows = ["." * 80 for _ in range(70)]
        rows = [row[:30] + "@" + row[31:] for row in rows]
        split = self.write_map("split.map", rows)
        answer = self.run_json("flow", "--map", split, "--goal", "60,20", "--tiled", "--from", "10,20", status=1)
        self.assertEqual(answer, {"status": "unreachable", "error": {"field": "--from", "value": "no way leads from there to the goal [60.5,20.5]",
                                                                     "remedy": "use a goal and places in one connected part of the map"}})
        answer = self.run_json("flow", "--map", split, "--goal", "30,20", "--tiled", "--from", "10,20", status=1)
        self.assertEqual((answer["status"], answer["error"]["value"]), ("goal_blocked", "[30.5,20.5] is no place where the unit can stand"))
        done = self.run_tool("flow", "--map", split, "--goal", "60,20", "--tiled", "--from", "10,20", "--from", "70,5", "--from", "90,5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--from: of the places 1 lead nowhere", done.stderr)
        self.assertIn("--from: [90.5,5.5] lies off the map", done.stderr)
        done = self.run_tool("flow", "--map", split, "--goal", "60,20", "--tiled", "--from", "10,20", "--partial")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--tiled: the field covers the whole map: no way leads from any of the positions to the goal", done.stderr)
        self.assert_refused("flow", "--map", split, "--goal", "60,20", "--tiled", "--from", "90,5", naming=["--from", "[90.5,5.5]"])

    def test_beside_a_direction_minus_one_is_a_cell(self):
        world = self.write("west.json", '{"width":4,"height":3,"origin":[-3,-2],"terrain":["....","....","...."],"legend":{".":"grass"}}')
        file = self.path("field.txt")
        self.assertEqual(self.run_tool("flow", "--map", world, "--goal", "-0.5,-0.5", "--dump", file).returncode, 0)
        with open(file, encoding="ascii") as text:
            lines = text.read().splitlines()
        self.assertEqual(lines[0], "warpath-flow 1 4 3 -1 -1")
        goals = [line for line in lines[1:] if line.endswith(" -1 -1")]
        self.assertEqual([line.split()[1:3] == ["0", "0"] for line in goals].count(True), 1)
        self.assertEqual(len(goals), 1 + 8)

    def test_costs_and_sizes_count(self):
        costs = self.write("costs.txt", ". 3\n@ 0\n")
        _, rows = self.dump("--goal", "0,0", "--costs", costs, "--method", "fmm2")
        self.assertAlmostEqual(rows[3][0], 9, places=4)
        wide = self.run_json("flow", "--map", self.map, "--goal", "1,1", "--constraints", '{"unit_radius": 1.0}')
        self.assertLess(wide["reachable"], 81)

    def test_pictures(self):
        for method in ["dijkstra", "fmm2"]:
            picture = self.path(method + ".png")
            self.assertEqual(self.run_tool("flow", "--map", self.map, "--goal", "8,7", "--method", method, "--png", picture).returncode, 0)
            self.assert_picture(picture, colours=20)

    def test_bad_arguments_are_refused(self):
        def refused(*more, naming):
            self.assert_refused("flow", "--map", self.map, *more, naming=naming)
        refused(naming=["--goal"])
        refused("--goal", "here", naming=["--goal", "here"])
        refused("--goal", "1,1", "--method", "magic", naming=["--method", "magic", "fmm2"])
        refused("--goal", "1,1", "--repeat", "0", naming=["--repeat", "0"])
        refused("--goal", "1,1", "--dump", "/no/such/x.txt", naming=["--dump", "/no/such/x.txt"])
        hill = self.write("hill.json", '{"width":3,"height":2,"terrain":["...","..."],"legend":{".":"grass"},"elevation":[[0,0,0],[0,0,1]]}')
        self.assert_refused("flow", "--map", hill, "--goal", "1,1", "--method", "fmm", naming=["max_slope", "[1,0]", "Dijkstra"])
        self.assert_refused("flow", "--map", hill, "--goal", "1,1", "--method", "fmm", "--constraints", '{"elevation_weight":1,"max_slope":90}',
                            naming=["elevation_weight", "1.00"])
        self.assertEqual(self.run_tool("flow", "--map", hill, "--goal", "1,1").returncode, 0)


if __name__ == "__main__":
    unittest.main()
