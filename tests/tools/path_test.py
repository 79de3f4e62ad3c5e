"""warpath path and paths: answers, pictures, refusals."""
import json
import unittest

from tool import ToolTest

PATH_KEYS = ["status", "cost", "length", "travel_time", "algorithm", "expansions", "microseconds", "revision", "waypoints", "breakdown",
             "threat_level", "cover_percentage"]
BREAKDOWN_KEYS = {"distance", "terrain", "threat", "cover", "exposure", "elevation", "road", "congestion"}


class PathTest(ToolTest):
    def ask(self, *more, status=0):
        return self.run_json("path", "--map", self.map, *more, status=status)

    def test_a_path_has_exactly_the_documented_keys(self):
        answer = self.ask("--from", "0,7", "--to", "8,7")
        self.assertEqual(list(answer), PATH_KEYS)
        self.assertEqual(set(answer["breakdown"]), BREAKDOWN_KEYS)
        self.assertEqual(answer["status"], "found")
        self.assertEqual(answer["algorithm"], "jps")

    def test_the_way_leads_round_the_wall_at_the_least_cost(self):
        answer = self.ask("--from", "0,7", "--to", "8,7")
        # Up to row 1 past the wall without cutting its corner: 4 diagonals and 2 straight steps to (4,1), 2 along the top, down again.
        self.assertAlmostEqual(answer["cost"], answer["length"], places=3)
        self.assertAlmostEqual(sum(answer["breakdown"].values()), answer["cost"], places=9)
        self.assertAlmostEqual(answer["cost"], 2 * (2 + 4 * 2 ** 0.5) + 2 + (-1 + 2 ** 0.5) * 0, delta=2.0)

    def test_whole_coordinates_mean_cell_centres_and_decimals_mean_metres(self):
        self.assertEqual(self.ask("--from", "0,7", "--to", "3,7")["waypoints"], [[0.5, 7.5], [3.5, 7.5]])
        self.assertEqual(self.ask("--from", "11.9999999999,7.1", "--to", "11.5,7.1")["cost"], 0)  # not the cell beyond the edge
        self.assertEqual(self.ask("--from", "0.25,7.1", "--to", "3.0,7")["waypoints"], [[0.25, 7.1], [3.0, 7.0]])

    def test_start_equal_to_goal_is_a_path_of_one_point(self):
        answer = self.ask("--from", "2,2", "--to", "2,2")
        self.assertEqual((answer["status"], answer["cost"], answer["waypoints"]), ("found", 0, [[2.5, 2.5]]))

    def test_no_way_is_an_answer_with_exit_status_1(self):
        answer = self.ask("--from", "0,0", "--to", "11,7", status=1)
        self.assertEqual((answer["status"], answer["waypoints"]), ("unreachable", []))
        self.assertEqual(self.ask("--from", "5,4", "--to", "0,0", status=1)["status"], "start_blocked")
        self.assertEqual(self.ask("--from", "0,0", "--to", "5,4", status=1)["status"], "goal_blocked")
        self.assertEqual(self.ask("--from", "0,0", "--to", "99,4", status=1)["status"], "goal_blocked")

    def test_partial_goes_to_the_nearest_reachable_place(self):
        answer = self.ask("--from", "0,0", "--to", "10,6", "--partial")
        self.assertEqual(answer["status"], "partial")
        self.assertIn(answer["waypoints"][-1], [[8.5, 6.5], [10.5, 4.5]])

    def test_diagonal_never_walks_straight(self):
        self.assertEqual(self.ask("--from", "0,0", "--to", "3,3", "--diagonal", "never")["cost"], 6)

    def test_constraints_come_inline_or_from_a_file(self):
        wishes = '{"doctrine": "aggressive", "unit_type": "tank_light", "unit_speed": 2.0}'
        inline = self.ask("--from", "0,0", "--to", "4,0", "--constraints", wishes)
        filed = self.ask("--from", "0,0", "--to", "4,0", "--constraints", "@" + self.write("wishes.json", wishes))
        self.assertEqual(inline["travel_time"], 2.0)
        self.assertEqual(inline["waypoints"], filed["waypoints"])

    def test_text_for_people_explains_the_cost(self):
        done = self.run_tool("path", "--map", self.map, "--from", "0,7", "--to", "8,7", "--explain")
        self.assertEqual(done.returncode, 0)
        for text in ("found by jps", "cost = distance", "where the cost comes from", "stretch by stretch"):
            self.assertIn(text, done.stdout)

    def test_the_stretches_of_an_explanation_sum_to_the_cost(self):
        world = self.write("world.json", json.dumps({
            "width": 30, "height": 12, "terrain": ["..........SSSSSFFFFFRRRRR....."] * 12,
            "elevation": [[x * 0.2 for x in range(30)]] * 12, "obstacles": [{"rect": [8, 3, 2, 6], "kind": "building", "height": 4}]}))
        wishes = '{"doctrine": "cautious", "prefer_roads": true, "wall_distance": 3, "wall_weight": 2, "unit_radius": 1}'
        answer = self.run_json("path", "--map", world, "--from", "1,5", "--to", "28,6", "--constraints", wishes, "--explain")
        self.assertGreater(answer["breakdown"]["wall"], 0)
        stretches = answer["explanation"]["stretches"]
        self.assertAlmostEqual(sum(s["cost"] for s in stretches), answer["cost"], places=6)
        for term, value in answer["breakdown"].items():
            self.assertAlmostEqual(sum(s["breakdown"].get(term, 0) for s in stretches), value, places=6, msg=term)

    def test_enemies_of_a_world_threaten_the_side_they_name(self):
        world = self.write("world.json", json.dumps({
            "width": 60, "height": 40, "threats": [{"side": 1, "position": [30, 20], "range": 18, "firepower": 1.0}]}))
        ends = ["--map", world, "--from", "5,20", "--to", "55,20", "--constraints", '{"doctrine": "cautious"}']
        safe = self.run_json("path", *ends)
        threatened = self.run_json("path", *ends, "--side", 1, "--png", self.path("threat.png"))
        self.assertEqual((safe["breakdown"]["threat"], safe["threat_level"]), (0, 0))
        self.assertGreater(threatened["length"], safe["length"])
        self.assert_picture(self.path("threat.png"), colours=20)

    def test_a_drawn_route_is_explained_against_the_best(self):
        ends = ["--map", self.map, "--from", "0,7", "--to", "8,7", "--explain"]
        answer = self.run_json("path", *ends, "--route", "0,7 0,0 8,0 8,7")
        why = answer["explanation"]
        self.assertTrue(why["is_valid"])
        self.assertAlmostEqual(why["cost"], 22.0)
        self.assertAlmostEqual(why["best_cost"], answer["cost"])
        self.assertEqual(why["terms"][0]["term"], "distance")
        self.assertIn("more than the best route: distance +", why["verdict"])
        self.assertAlmostEqual(sum(s["cost"] for s in why["stretches"]), why["cost"], places=6)
        self.assertEqual(self.run_json("path", *ends, "--route", "[[0.5,7.5],[0.5,0.5],[8.5,0.5],[8.5,7.5]]")["explanation"], why)
        done = self.run_tool("path", *ends, "--route", "0,7 8,7")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a legal route: point 2 cannot be come to", done.stdout)
        self.assert_refused("path", *ends, "--route", "[[1]]", naming=["--route", "entry 0"])
        self.assert_refused("path", *ends[:-1], "--route", "0,7", naming=["--route", "--explain"])

    def test_the_same_trip_with_other_wishes_stands_beside_it(self):
        answer = self.run_json("path", "--map", self.map, "--from", "0,7", "--to", "8,7", "--also", '{"diagonal":"never"}', "--png", self.path("two.png"),
                               "--title", "two ways", "--mark", "5,0,gap")
        self.assertEqual(len(answer["also"]), 1)
        self.assertGreater(answer["also"][0]["length"], answer["length"])
        self.assert_picture(self.path("two.png"))

    def test_an_end_off_the_map_is_named(self):
        done = self.run_tool("path", "--map", self.map, "--from", "40,7", "--to", "8,7")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--from: [40.5,7.5] lies off the map; use metres from [0,0] to below [12,8]", done.stdout)

    def test_text_counts_waypoints(self):
        self.assertIn("\n1 waypoint, ", self.run_tool("path", "--map", self.map, "--from", "2,2", "--to", "2,2").stdout)
        self.assertIn("\n2 waypoints, ", self.run_tool("path", "--map", self.map, "--from", "2,2", "--to", "3,2").stdout)

    def test_the_picture_is_a_png(self):
        picture = self.path("route.png")
        self.ask("--from", "0,7", "--to", "8,7", "--png", picture)
        width, height = self.assert_picture(picture, colours=6)
        self.assertGreater(min(width, height), 200)
        self.ask("--from", "0,0", "--to", "11,7", "--png", picture, status=1)
        self.assert_picture(picture)



class CostsTest(ToolTest):
    def test_costs_are_those_of_the_routes_to_each_place(self):
        places = ["8,7", "0,0", "4.25,0.5", "11,7", "5,4", "99,4"]
        to = [word for place in places for word in ("--to", place)]
        answer = self.run_json("costs", "--map", self.map, "--from", "0,7", *to, status=1)
        self.assertEqual(list(answer), ["status", "expansions", "microseconds", "revision", "places"])
        self.assertEqual(answer["status"], "found")
        self.assertEqual([place["status"] for place in answer["places"]], ["found", "found", "found", "unreachable", "goal_blocked", "goal_blocked"])
        for place, told in zip(places[:3], answer["places"]):
            alone = self.run_json("path", "--map", self.map, "--from", "0,7", "--to", place)
            self.assertEqual(told["cost"], alone["cost"])

    def test_text_names_each_place(self):
        done = self.run_tool("costs", "--map", self.map, "--from", "0,7", "--to", "3,7", "--to", "0,4")
        self.assertEqual(done.returncode, 0)
        self.assertIn("3,7: cost 3.00", done.stdout)
        self.assertIn("0,4: cost 3.00", done.stdout)
        limited = self.run_json("costs", "--map", self.map, "--from", "0,7", "--to", "3,7", "--to", "1,7", "--max-cost", "2", status=1)
        self.assertEqual([place["status"] for place in limited["places"]], ["cost_limit", "found"])

    def test_what_is_wrong_is_named(self):
        ends = ["--map", self.map, "--from", "0,7"]
        self.assert_refused("costs", *ends, naming=["--to"])
        self.assert_refused("costs", *ends, "--to", "x", naming=["--to", "x"])
        self.assert_refused("costs", *ends, "--to", "1,1", "--partial", naming=["--partial"])
        self.assert_refused("costs", *ends, "--to", "1,1", "--max-cost", "0", naming=["--max-cost", "0"])
        answer = self.run_json("costs", "--map", self.map, "--from=-3,7", "--to", "1,1", status=1)
        self.assertEqual((answer["status"], answer["error"]["field"]), ("start_blocked", "--from"))

class RefusalTest(ToolTest):
    def refused(self, *more, naming):
        self.assert_refused("path", "--map", self.map, *more, naming=naming)

    def test_usage(self):
        self.assert_refused(naming=["--help"])
        self.assert_refused("walk", naming=["walk", "--help"])
        self.assert_refused("path", naming=["--map", "warpath path --help"])
        self.refused("--from", "0,0", naming=["--to"])
        self.refused("--from", "0,0", "--to", "1,1", "--speed", "5", naming=["--speed"])
        self.refused("--from", "0,0", "--to", "1,1", "--side", "x", naming=["--side", "x"])

    def test_values(self):
        self.refused("--from", "0;0", "--to", "1,1", naming=["--from", "0;0", "12,7"])
        self.refused("--from", "nan,0", "--to", "1,1", naming=["--from", "nan,0"])
        self.refused("--from", "0,0", "--to", "1e30,1", naming=["--to", "1e30,1"])
        self.refused("--from", "0,0", "--to", "1,1", "--side", "16", naming=["--side", "16"])
        self.refused("--from", "0,0", "--to", "1,1", "--algorithm", "dijkstra", naming=["--algorithm", "dijkstra", "astar"])
        self.refused("--from", "0,0", "--to", "1,1", "--diagonal", "often", naming=["--diagonal", "often", "strict"])
        self.refused("--from", "0,0", "--to", "1,1", "--terrain", "--costs", "x", naming=["--terrain", "--costs"])
        self.refused("--from", "0,0", "--to", "1,1", "--partial=maybe", naming=['--partial: "maybe"; use it without a value, or true or false'])
        self.refused("--from", "0,0", "--to", "1,1", "--mark", "1,1,here", naming=["--mark", "--png"])
        self.refused("--from", "0,0", "--to", "1,1", "--png", "/no/such/folder/x.png", naming=["--png", "/no/such/folder/x.png"])

    def test_an_empty_text_is_refused_by_every_argument(self):
        ends = ["--from", "0,0", "--to", "1,1"]
        for argument in ("--side", "--constraints", "--png", "--map", "--algorithm", "--diagonal", "--from", "--costs", "--route", "--also"):
            self.assert_refused("path", "--map", self.map, *ends, argument, "", naming=[argument])
        self.assert_refused("render", "--map", self.map, "--png", self.path("x.png"), "--layers", "", naming=["--layers", "terrain"])
        self.assert_refused("paths", "--map", self.map, *ends, "--count", "", naming=["--count"])
        self.assert_refused("serve", "--map", self.map, "--ticks", "", naming=["--ticks"])

    def test_every_command_takes_threads_and_seed(self):
        world = ["--map", self.map]
        ends = ["--from", "0,0", "--to", "1,1"]
        for command in (["path", *world, *ends], ["paths", *world, *ends], ["render", *world, "--png", self.path("x.png")], ["serve", *world, "--ticks", "1"]):
            self.assertEqual(self.run_tool(*command, "--threads", "2", "--seed", "7").returncode, 0)
        self.refused(*ends, "--threads", "0", naming=["--threads", "0"])
        self.refused(*ends, "--seed", "-1", naming=["--seed", "-1"])

    def test_a_goal_or_routes_that_a_picture_cannot_show(self):
        render = ["render", "--map", self.map, "--png", self.path("x.png")]
        self.assert_refused(*render, "--layers", "terrain,flow", "--goal", "40,7", naming=["--goal: [40.5,7.5] lies off the map; use metres from [0,0] to below [12,8]"])
        self.assert_refused(*render, "--routes", self.write("other.json", '{"paths": []}'), naming=["--routes", "other.json", "neither routes nor trails", '"points"'])
        for held in ('{"routes": [{"points": [[1, 1], [3, 1]]}]}', '{"trails": []}'):
            self.assertEqual(self.run_tool(*render, "--routes", self.write("some.json", held)).returncode, 0)
        self.assertEqual(self.run_tool(*render, "--layers", "terrain,flow", "--goal", "11,7").returncode, 0)

    def test_constraints(self):
        def refused(wishes, *naming):
            self.refused("--from", "0,0", "--to", "1,1", "--constraints", wishes, naming=["--constraints", *naming])
        refused('{"threat_wieght": 5}', "threat_wieght")
        refused('{"threat_weight": 50}', "threat_weight", "50", "20")
        refused('{"doctrine": "brave"}', "doctrine", "brave", "cautious")
        refused("{", "json")
        refused("@/no/such/file", "/no/such/file")

    def test_files(self):
        ends = ["--from", "0,0", "--to", "1,1"]
        self.assert_refused("path", "--map", "/no/such.map", *ends, naming=["/no/such.map"])
        ragged = self.write("ragged.map", "type octile\nheight 2\nwidth 3\nmap\n...\n..\n")
        self.assert_refused("path", "--map", ragged, *ends, naming=["ragged.map:6"])
        world = self.write("bad.json", '{"width": 4,\n "height": 4,\n "obstacles": [{"rect": [0,0,1,1], "kind": "hut"}]}')
        self.assert_refused("path", "--map", world, *ends, naming=["bad.json:3", "kind", "hut", "building"])
        good = self.write("good.json", '{"width": 4, "height": 4}')
        self.assert_refused("path", "--map", good, "--terrain", *ends, naming=["--terrain"])
        self.assert_refused("path", "--map", self.map, "--costs", "/no/such.costs", *ends, naming=["/no/such.costs"])

    def test_help_tells_of_every_command(self):
        commands = ["path", "paths", "costs", "scenario", "serve", "hash", "render"]
        done = self.run_tool("--help")
        self.assertEqual(done.returncode, 0)
        for command in commands:
            self.assertIn(command, done.stdout)
            self.assertEqual(self.run_tool(command, "--help").returncode, 0)


class PathsTest(ToolTest):
    def test_several_routes_with_overlap_and_stretch(self):
        lanes = self.write_map("lanes.map", ["." * 40] * 3 + ["..." + "@" * 34 + "..."] * 5 + ["." * 40] * 3)
        picture = self.path("routes.png")
        answer = self.run_json("paths", "--map", lanes, "--from", "0,5", "--to", "39,5", "--count", "2", "--png", picture)
        self.assertEqual(answer["status"], "found")
        self.assertEqual(len(answer["paths"]), 2)
        for path in answer["paths"]:
            self.assertEqual(list(path), PATH_KEYS + ["overlap", "stretch"])
        flanks = self.run_json("paths", "--map", self.write_map("open.map", ["." * 60] * 41), "--from", "0,20", "--to", "40,20", "--mode", "flanking")
        self.assertEqual({path["approach"] for path in flanks["paths"]}, {"front", "left", "right"})
        first, second = answer["paths"]
        self.assertEqual((first["overlap"], first["stretch"], second["overlap"]), (0, 1, 0))
        self.assertLessEqual(second["stretch"], 1.5)
        self.assertNotEqual(first["waypoints"], second["waypoints"])
        self.assert_picture(picture, colours=6)

    def test_says_so_when_there_are_fewer(self):
        corridor = self.write_map("corridor.map", ["." * 30])
        done = self.run_tool("paths", "--map", corridor, "--from", "0,0", "--to", "29,0", "--count", "3")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 of 3 routes", done.stdout)

    def test_an_end_off_the_map_is_an_error_of_field_value_and_remedy(self):
        ends = ["--map", self.map, "--from", "0,0", "--to", "40,7"]
        answer = self.run_json("paths", *ends, status=1)
        self.assertEqual(answer["error"], {"field": "--to", "value": "[40.5,7.5] lies off the map", "remedy": "use metres from [0,0] to below [12,8]"})
        self.assertEqual(self.run_json("path", *ends, status=1)["error"], answer["error"])

    def test_no_route_is_exit_status_1_and_a_bad_count_2(self):
        self.assertEqual(self.run_json("paths", "--map", self.map, "--from", "0,0", "--to", "11,7", status=1), {"status": "unreachable", "paths": []})
        self.assert_refused("paths", "--map", self.map, "--from", "0,0", "--to", "1,1", "--count", "0", naming=["--count", "0", "1 to 16"])
        self.assert_refused("paths", "--map", self.map, "--from", "0,0", "--to", "1,1", "--max-overlap", "2", naming=["--max-overlap", "2", "0 to 1"])


if __name__ == "__main__":
    unittest.main()
