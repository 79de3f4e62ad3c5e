"""warpath edits: random changes, answers compared."""
import unittest

from tool import ToolTest


class EditsTest(ToolTest):
    def test_no_answer_differs_and_the_keys_are_the_documented_ones(self):
        for algorithm in ("auto", "hpa"):
            answer = self.run_json("edits", "--map", self.map, "--edits", 20, "--queries", 30, "--seed", 3, "--algorithm", algorithm)
            self.assertEqual(list(answer), ["edits", "queries", "mismatches", "repair_us_median", "repair_us_p99", "rebuild_us"])
            self.assertEqual((answer["edits"], answer["queries"], answer["mismatches"]), (20, 30, 0))


if __name__ == "__main__":
    unittest.main()
