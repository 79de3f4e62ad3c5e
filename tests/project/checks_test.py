"""The checkers themselves: each rule of check_layers.py and check_tree.py refuses a tree that breaks it, and passes one that does not."""
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).parent.parent.parent / "scripts"


def load(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ChecksTest(unittest.TestCase):
    def problems(self, checker, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            module = load(checker)
            module.THREAD_EXCEPTIONS = {}  # those of the project name files that the tree of a test does not have
            return list(module.check(root))

    def assert_one(self, checker, files, part):
        found = self.problems(checker, files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    GOOD = {
        "include/warpath/core/a.h": "#pragma once\n#include <vector>\n",
        "include/warpath/grid/b.h": '#pragma once\n#include "warpath/core/a.h"\n',
        "src/grid/b.cpp": '#include "warpath/grid/b.h"\n#include "grid/detail.h"\n',
        "src/grid/detail.h": "#pragma once\n#include <atomic>\n",
        "src/io/json.cpp": "#include <nlohmann/json.hpp>\n",
        "src/navmesh/mesh.cpp": '#include <DetourNavMesh.h>\n#include "Recast.h"\n',
        "src/service/run.cpp": "#include <mutex>\n",
        "tests/grid/b_test.cpp": '#include <gtest/gtest.h>\n#include <thread>\n#include "grid/detail.h"\n',
    }

    def test_a_tree_that_follows_the_rules_passes(self):
        self.assertEqual(self.problems("check_layers", self.GOOD), [])
        self.assertEqual(self.problems("check_tree", self.GOOD), [])

    def test_a_lower_layer_does_not_include_a_higher_one(self):
        self.assert_one("check_layers", {**self.GOOD, "src/core/a.cpp": '#include "warpath/grid/b.h"\n'}, "lies above")

    def test_siblings_do_not_include_each_other(self):
        self.assert_one("check_layers", {**self.GOOD, "include/warpath/flow/f.h": "#pragma once\n",
                                         "src/search/s.cpp": '#include "warpath/flow/f.h"\n'}, "sibling")

    def test_a_public_header_does_not_include_a_private_one(self):
        self.assert_one("check_layers", {**self.GOOD, "include/warpath/grid/c.h": '#pragma once\n#include "grid/detail.h"\n'}, "private")

    def test_json_stays_out_of_headers_and_of_lower_layers(self):
        self.assert_one("check_layers", {**self.GOOD, "src/io/json.h": "#pragma once\n#include <nlohmann/json.hpp>\n"}, "JSON")
        self.assert_one("check_layers", {**self.GOOD, "src/service/json.cpp": "#include <nlohmann/json.hpp>\n"}, "JSON")

    def test_recast_stays_in_the_sources_of_navmesh(self):
        self.assert_one("check_layers", {**self.GOOD, "tools/t.cpp": "#include <recastnavigation/DetourNavMesh.h>\n"}, "Detour")

    def test_threads_stay_in_service_and_host(self):
        self.assert_one("check_layers", {**self.GOOD, "src/grid/t.cpp": "#include <mutex>\n"}, "mutex")

    def test_an_include_of_a_missing_header_is_told(self):
        self.assert_one("check_layers", {**self.GOOD, "src/grid/t.cpp": '#include "warpath/core/gone.h"\n'}, "does not exist")

    def test_large_files_unfinished_marks_and_paths_of_one_machine_are_told(self):
        self.assert_one("check_tree", {"big.bin": "x" * ((1 << 20) + 1)}, "bytes")
        self.assert_one("check_tree", {"a.cpp": "// TO" + "DO later\n"}, "unfinished")
        self.assert_one("check_tree", {"a.md": "see /wo" + "rk/notes\n"}, "one machine")
        self.assert_one("check_tree", {"include/warpath/core/a.h": "\n" * 400}, "lines")


if __name__ == "__main__":
    unittest.main()
