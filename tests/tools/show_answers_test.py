"""scripts/show_answers.py: what the demo prints of the tool's answers."""
import json
import os
import subprocess
import sys
import unittest

from tool import SOURCE


class ShowAnswersTest(unittest.TestCase):
    def show(self, *lines):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts/show_answers.py")], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    @staticmethod
    def answer(**message):
        return {"tick": 1, "topic": "pathfinder/results", "message": {"request_id": "a", "status": "found", **message}}

    def test_says_how_many_routes_of_those_asked_for_there_are(self):
        route = {"path": [{"x": 1, "y": 2}], "length": 3.0}
        self.assertIn("2 of 3 routes", self.show(self.answer(paths=[route, route], max_paths=3)))
        self.assertNotIn("of 2 routes", self.show(self.answer(paths=[route, route], max_paths=2)))

    def test_what_is_no_answer_is_shown_and_stops_nothing(self):
        text = self.show("this is no JSON", "[1, 2]", {"message": 5}, "", self.answer(path=[[1, 2], [3, 4]], length=2.8), self.answer(error="odd"))
        self.assertEqual(text.count("no answer of the tool"), 3)
        self.assertIn("2.8 m", text)


if __name__ == "__main__":
    unittest.main()
