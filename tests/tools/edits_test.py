"""warpath edits: random changes, answers compared."""
import unittest

from tool import ToolTest


class EditsTest(ToolTest):
    def test_no_answer_differs_and_the_keys_are_the_documented_ones(self):
        for algorithm in ("auto", "hpa"):
            answer = self.run_json("edits", "--map", self.map, "--edits", 20, "--queries", 30, "--seed", 3, "--algorithm", algorithm)
            self.assertEqual(list(answer), ["edits", "queries", "mismatches", "repair_us_median", "repair_us_p99", "rebuild_us"])
            self.assertEqual((answer["edits"], answer["queries"], answer["mismatches"]), (20, 30, 0))

    def test_several_threads_find_no_difference_either(self):
        answer = self.run_json("edits", "--map", self.map, "--edits", 5, "--queries", 40, "--seed", 3, "--threads", 3)
        self.assertEqual((answer["edits"], answer["queries"], answer["mismatches"]), (5, 40, 0))

    def test_numbers_out_of_range_are_refused(self):
        for argument, value, limits in (("--edits", "-1", "0 to 1000000000"), ("--edits", "99999999999999999999", "0 to 1000000000"), ("--queries", "1.5", "0 to 1000000000"),
                                        ("--seed", "x", "0 to 9223372036854775807"), ("--seed", "", "0 to 9223372036854775807")):
            self.assert_refused("edits", "--map", self.map, argument, value, naming=[f'{argument}: "{value}"; use a whole number from {limits}'])


if __name__ == "__main__":
    unittest.main()
