"""warpath scenario: lengths against the file, samples, refusals."""
import unittest

from tool import ToolTest

KEYS = ["map", "algorithm", "queries", "solved", "mean_us", "median_us", "p99_us", "expansions_mean", "ns_per_expansion", "max_error",
        "mean_suboptimality", "max_suboptimality", "hash"]
ROOT = 2 ** 0.5


class ScenarioTest(ToolTest):
    def scenario(self, *lines):
        return self.write("room.map.scen", "version 1\n" + "".join(lines))

    def line(self, start, goal, length, gap="\t"):
        return gap.join(map(str, [0, "room.map", 12, 8, *start, *goal, length])) + "\n"

    def test_the_answer_has_exactly_the_documented_keys(self):
        scen = self.scenario(self.line((0, 0), (3, 3), 3 * ROOT), self.line((0, 0), (4, 0), 4))
        answer = self.run_json("scenario", "--map", self.map, "--scen", scen, "--repeat", 2)
        self.assertEqual(list(answer), KEYS)
        self.assertEqual((answer["map"], answer["algorithm"], answer["queries"], answer["solved"]), ("room.map", "auto", 2, 2))
        self.assertLess(answer["max_error"], 1e-5)
        self.assertRegex(answer["hash"], "^[0-9a-f]{16}$")

    def test_columns_may_be_separated_by_any_white_space_and_lines_may_be_blank(self):
        scen = self.scenario("\n", self.line((0, 0), (4, 0), 4, gap="   "), "\n", "  \n", self.line((0, 0), (0, 4), 4, gap=" \t "))
        self.assertEqual(self.run_json("scenario", "--map", self.map, "--scen", scen)["queries"], 2)

    def test_a_wrong_length_or_an_unsolved_query_is_exit_status_1(self):
        wrong = self.scenario(self.line((0, 0), (3, 3), 4.5))
        self.assertGreater(self.run_json("scenario", "--map", self.map, "--scen", wrong, status=1)["max_error"], 0.05)
        unsolved = self.scenario(self.line((0, 0), (11, 7), 14))
        self.assertEqual(self.run_json("scenario", "--map", self.map, "--scen", unsolved, status=1)["solved"], 0)

    def test_a_sample_is_spread_evenly_and_the_hash_does_not_depend_on_repetition(self):
        scen = self.scenario(*(self.line((0, 0), (x, 0), x) for x in range(12)))
        one = self.run_json("scenario", "--map", self.map, "--scen", scen, "--sample", 3)
        two = self.run_json("scenario", "--map", self.map, "--scen", scen, "--sample", 3, "--repeat", 3, "--algorithm", "astar")
        self.assertEqual(one["queries"], 3)
        self.assertEqual(one["hash"], two["hash"])
        self.assertNotEqual(one["hash"], self.run_json("scenario", "--map", self.map, "--scen", scen)["hash"])

    def test_text_for_people(self):
        scen = self.scenario(self.line((0, 0), (4, 0), 4))
        done = self.run_tool("scenario", "--map", self.map, "--scen", scen)
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 of 1 queries solved", done.stdout)

    def test_bad_files(self):
        def refused(scen, *naming):
            self.assert_refused("scenario", "--map", self.map, "--scen", scen, naming=naming)
        refused("/no/such.scen", "/no/such.scen")
        refused(self.write("a.scen", "version 1\n0 room.map 12 8 0 0 3\n"), "a.scen:2")
        refused(self.write("b.scen", "version 1\n0 room.map 12 9 0 0 3 0 3\n"), "b.scen:2", "9")
        refused(self.write("c.scen", "version 1\n"), "c.scen")
        self.assert_refused("scenario", "--map", self.map, "--scen", "x", "--repeat", "0", naming=["--repeat", "0"])

    def test_benchmark_maps_have_their_reference_lengths(self):
        for name in ["dao-arena2", "sc1-Aftershock"]:
            board = self.data_file(name + ".map")
            answer = self.run_json("scenario", "--map", board, "--scen", board + ".scen", "--sample", 60)
            self.assertEqual(answer["solved"], 60)
            self.assertLess(answer["max_error"], 1e-4)

    def test_weighted_maps_have_their_reference_costs(self):
        costs = self.data_file("weighted/abc.costs")
        board = self.data_file("weighted/sc1-Aftershock-blob.map")
        answer = self.run_json("scenario", "--map", board, "--scen", board + ".scen", "--costs", costs, "--sample", 40)
        self.assertEqual(answer["solved"], 40)
        self.assertLess(answer["max_error"], 1e-4)


if __name__ == "__main__":
    unittest.main()
