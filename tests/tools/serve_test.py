"""warpath serve: every line answered, errors told, the same answers on any number of threads."""
import json
import os
import subprocess
import unittest

from tool import SOURCE, TOOL, ToolTest


class ServeTest(ToolTest):
    def serve(self, lines, *more, status=0, board=None):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        done = self.run_tool("serve", "--map", board or self.map, *more, stdin=text)
        self.assertEqual(done.returncode, status, done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        for answer in answers:
            self.assertEqual(list(answer), ["tick", "topic", "message"])
        return answers

    @staticmethod
    def single(number, start=(0.5, 0.5), goal=(3.5, 0.5), **more):
        return {"type": "single_path", "request_id": number, "start": list(start), "goal": list(goal), **more}

    def test_requests_are_answered_once_each(self):
        answers = self.serve([self.single(i) for i in range(50)])
        self.assertEqual(sorted(a["message"]["request_id"] for a in answers), list(range(50)))
        for answer in answers:
            self.assertEqual((answer["topic"], answer["message"]["status"]), ("pathfinder/results", "found"))
            self.assertAlmostEqual(answer["message"]["length"], 3.0, places=5)

    def test_a_line_may_be_an_envelope_with_topic_and_tick(self):
        wall = {"topic": "pathfinder/world", "tick": 20, "message": {"type": "place_obstacle", "rect": [2, 0, 1, 8], "kind": "wall", "height": 2}}
        answers = self.serve([{"message": self.single(1)}, wall, {"tick": 30, "message": self.single(2)}])
        by_id = {a["message"]["request_id"]: a for a in answers}
        self.assertEqual(by_id[1]["message"]["status"], "found")
        self.assertEqual(by_id[2]["message"]["status"], "unreachable")
        self.assertGreaterEqual(by_id[2]["tick"], 30)

    def test_bad_lines_get_an_error_answer_and_serving_goes_on(self):
        answers = self.serve(["this is no JSON", "", "[1, 2]", {"message": {}, "speed": 3}, {"type": "single_path", "request_id": "half"},
                              {"type": "single_path"}, self.single("last")])
        errors = [a["message"] for a in answers if a["topic"] == "pathfinder/errors"]
        self.assertEqual([e["error"]["field"] for e in errors[:3]], ["line 1, column 2", "line 3", "line 4"])
        self.assertEqual(len(errors), 4)
        by_id = {a["message"]["request_id"]: a["message"] for a in answers if "request_id" in a["message"]}
        self.assertEqual(by_id["half"]["status"], "invalid_argument")
        self.assertEqual(by_id["last"]["status"], "found")

    def test_a_line_that_is_no_json_tells_column_and_cause_and_its_id_where_it_can_be_told(self):
        lines = ['{"type":"single_path","request_id":7,"start":[0.5,]}', '{"type":"single_path","start":[NaN,1],"request_id":"b \\"7\\"" }',
                 '{"type":"single_path","request_id":12', '{"request_id":1,"request_id":2}', '{"a":{"request_id":1},"request_id":2']
        errors = [a["message"] for a in self.serve(lines)]
        self.assertEqual([e.get("request_id") for e in errors], [7, 'b "7"', None, None, None])
        for number, error in enumerate(errors[:3], 1):
            self.assertRegex(error["error"]["field"], rf"^line {number}, column \d+$")
        self.assertIn("given twice", errors[3]["error"]["value"])

    def test_a_second_request_of_an_open_id_is_refused_at_once(self):
        # From a file, so that all three are published in one tick: from a pipe the first may be answered before the second comes.
        answers = self.serve([], "--requests", self.write("twice.jsonl", "\n".join(json.dumps(self.single(i)) for i in (1, 1, 2))))
        self.assertEqual(sorted((a["message"]["request_id"], a["message"]["status"]) for a in answers),
                         [(1, "found"), (1, "invalid_argument"), (2, "found")])
        refused = [a["tick"] for a in answers if a["message"]["status"] == "invalid_argument"]
        self.assertTrue(all(a["tick"] >= refused[0] for a in answers), "no answer comes before the refusal")

    def test_output_that_cannot_be_written_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for command in (["serve", "--map", self.map], ["path", "--map", self.map, "--from", "0,0", "--to", "3,0"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([TOOL, *command], stdout=full, stderr=subprocess.PIPE, text=True, input=json.dumps(self.single(1)) + "\n", check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("stdout: cannot be written", done.stderr)

    def test_rules_of_the_configuration_serve_the_map_and_letters_keep_their_costs(self):
        config = self.write("c.json", json.dumps({"rules": {"terrain_types": [{"name": "mud", "multiplier": 4}],
                                                            "unit_classes": [{"name": "infantry", "multipliers": {"grass": 3}}]}}))
        world = self.write("mud.json", json.dumps({"width": 8, "height": 1, "legend": {".": "grass", "m": "mud"}, "terrain": [".mmm...."], "has_cover": False}))
        plain = {"constraints": {"threat_weight": 0, "cover_weight": 0, "exposure_weight": 0}}
        answers = self.serve([self.single(1, (0.5, 0.5), (4.5, 0.5), **plain)], "--config", config, board=world)
        self.assertAlmostEqual(answers[0]["message"]["cost"], 3 * 4 + 3)
        for more in ([], ["--costs", self.write("a.costs", ". 2\n@ 0\n")]):
            done = self.run_tool("serve", "--map", self.map, "--config", config, *more, stdin=json.dumps(self.single(1)) + "\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertAlmostEqual(json.loads(done.stdout)["message"]["cost"], 3.0 if not more else 6.0)
            self.assertIn("note: the letters of room.map are its terrain", done.stderr)

    def test_an_error_of_the_configuration_has_file_and_line(self):
        config = self.write("c.json", '{\n"algorithms": {\n  "astar": {"max_distanse": 5}}}')
        self.assert_refused("serve", "--map", self.map, "--config", config, naming=["c.json:3:", "algorithms.astar.max_distanse", "an unknown field"])
        broken = self.write("d.json", '{\n"enabled": tru}')
        self.assert_refused("serve", "--map", self.map, "--config", broken, naming=["d.json:2", "column"])

    def test_one_thread_gives_the_same_output_every_time(self):
        requests = self.write("requests.jsonl", "\n".join(json.dumps(self.single(i, goal=(i % 11 + 0.5, 1.5))) for i in range(40)))

        def run():
            answers = self.serve([], "--requests", requests, "--threads", 0)
            self.assertEqual(len(answers), 40)
            for answer in answers:
                answer["message"].pop("computation_time_ms", None)
            return answers
        self.assertEqual(run(), run())

    def test_the_demo_is_answered(self):
        requests = os.path.join(SOURCE, "examples/requests/demo.jsonl")
        done = self.run_tool("serve", "--config", os.path.join(SOURCE, "config/gameconfig.json"), "--map",
                             os.path.join(SOURCE, "examples/maps/river_town.json"), "--requests", requests)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        with open(requests, encoding="utf-8") as file:
            asked = [json.loads(line)["message"] for line in file if line.strip()]
        ids = [message["request_id"] for message in asked if "request_id" in message]
        self.assertEqual(sorted(a["message"]["request_id"] for a in answers if "request_id" in a["message"]), sorted(ids))
        health = json.loads(done.stderr.splitlines()[-1])
        self.assertEqual(health["pending_tasks"], 0)

    def test_a_tick_that_is_too_late_is_a_bad_line(self):
        answers = self.serve([{"tick": 1000000001, "message": self.single(1)}, {"tick": 2 ** 64 - 1, "message": self.single(2)}, self.single(3)])
        self.assertEqual([(a["topic"], a["message"]["request_id"]) for a in answers], [("pathfinder/errors", 1), ("pathfinder/errors", 2), ("pathfinder/results", 3)])
        self.assertEqual(answers[0]["message"]["error"]["field"], "line 1")
        self.assertEqual(answers[0]["message"]["error"]["value"], "tick: 1000000001")
        self.assertIn("a whole number from 0 to 1000000000", answers[0]["message"]["error"]["remedy"])

    def test_no_ticks_are_enough_for_no_lines(self):
        for lines in ([], ["", " "]):
            self.assertEqual(self.serve(lines, "--ticks", 0), [])
        self.assertEqual(self.serve([self.single(1)], "--ticks", 0, status=1), [])

    def test_too_few_ticks_are_exit_status_1(self):
        self.serve([{"tick": 100, "message": self.single(1)}], "--ticks", 5, status=1)

    def test_lengths_of_a_benchmark_scenario(self):
        board = self.data_file("dao-arena2.map")
        with open(board + ".scen", encoding="utf-8") as file:
            rows = [line.split() for line in file.readlines()[1:] if line.strip()][::18]
        wishes = {"threat_weight": 0, "cover_weight": 0, "exposure_weight": 0, "elevation_weight": 0}
        answers = self.serve([self.single(i, (int(r[4]) + 0.5, int(r[5]) + 0.5), (int(r[6]) + 0.5, int(r[7]) + 0.5), constraints=wishes)
                              for i, r in enumerate(rows)], board=board)
        self.assertEqual(len(answers), len(rows))
        for answer in answers:
            self.assertAlmostEqual(answer["message"]["length"], float(rows[answer["message"]["request_id"]][8]), delta=0.01)

    def test_bad_arguments_are_refused(self):
        self.assert_refused("serve", "--map", self.map, "--requests", "/no/such.jsonl", naming=["--requests", "/no/such.jsonl"])
        bad = self.write("config.json", '{"modules": {"pathfinding": {"pathfinder_impl": "oracle"}}}')
        self.assert_refused("serve", "--map", self.map, "--config", bad, naming=["pathfinder_impl", "oracle", "classic"])
        broken = self.write("broken.json", '{"modules": ')
        self.assert_refused("serve", "--map", self.map, "--config", broken, naming=["broken.json:1"])


if __name__ == "__main__":
    unittest.main()
