#!/usr/bin/env python3
"""Tests of the checks: each rule is violated once in a small tree and must be reported."""

import pathlib
import tempfile
import unittest

import check_layers
import check_style
from cpp_functions import functions
from source_text import blank

GUARDED = "#ifndef {0}\n#define {0}\n{1}\n#endif  // {0}\n"


class Tree(unittest.TestCase):
    """A repository in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def header(self, path, body=""):
        space = "weft::" + path.split("/")[1]
        body += f"\nnamespace {space} {{}}\n"
        self.write(path, GUARDED.format(check_style.expected_guard(pathlib.Path(path)), body))

    def messages(self, check):
        return [f"{path}:{line}: {message}" for path, line, message in check(self.root)]

    def expect(self, check, part):
        found = self.messages(check)
        self.assertEqual(1, len(found), found)
        self.assertIn(part, found[0])

    def expect_nothing(self, check):
        self.assertEqual([], self.messages(check))


class Layers(Tree):
    def include(self, user, used):
        self.header(used)
        self.write(user, f'#include "{used}"\n')

    def test_accepts_downward_includes(self):
        for user, used in (("weft/nn/linear.cpp", "weft/ops/add.h"),
                           ("weft/train/trainer.cpp", "weft/data/batcher.h"),
                           ("weft/autograd/tape.cpp", "weft/formats/json.h"),
                           ("weft/data/batcher.cpp", "weft/tensor/tensor.h"),
                           ("apps/weft/main.cpp", "weft/options/yaml.h"),
                           ("apps/weft/detect.cpp", "weft/data/boxes.h"),
                           ("tests/ops/add_test.cpp", "tests/support/cases.h")):
            self.include(user, used)
        self.expect_nothing(check_layers.check)

    def test_public_headers_include_each_other_alone(self):
        body = "\nnamespace weft {}\n"
        self.write("include/weft/error.h", GUARDED.format("WEFT_ERROR_H_", body))
        self.write("include/weft/model.h", GUARDED.format(
            "WEFT_MODEL_H_", '#include "weft/error.h"\n' + body))
        self.include("weft/core/fail.cpp", "weft/core/fail.h")
        self.write("weft/core/throw.cpp", '#include "weft/error.h"\n')
        self.write("tests/package/cpp/main.cpp", "#include <weft/model.h>\n")
        self.expect_nothing(check_layers.check)
        self.header("weft/api/loaded_model.h")
        self.write("include/weft/load.h", GUARDED.format(
            "WEFT_LOAD_H_", '#include "weft/api/loaded_model.h"\n' + body))
        self.expect(check_layers.check, "include may not include api")

    def test_finds_upward_includes(self):
        for user, used in (("weft/ops/add.cpp", "weft/nn/linear.h"),
                           ("weft/core/log.cpp", "weft/tensor/tensor.h"),
                           ("weft/data/batcher.cpp", "weft/formats/json.h"),
                           ("weft/data/batcher.cpp", "weft/kernels/view.h"),
                           ("weft/tensor/tensor.cpp", "weft/data/batcher.h"),
                           ("weft/predict/line.cpp", "weft/train/task.h"),
                           ("weft/inspect/kinds/tagger.cpp", "weft/tasks/options.h"),
                           ("weft/train/trainer.cpp", "weft/serve/http.h"),
                           ("weft/train/trainer.cpp", "tests/support/cases.h"),
                           ("weft/train/trainer.cpp", "apps/weft/command.h"),
                           ("apps/weft/main.cpp", "weft/api/tasks.h"),
                           ("apps/weft/tag.cpp", "weft/predict/tagger.h"),
                           ("bindings/c/weft_c.cpp", "weft/core/log.h")):
            with self.subTest(user=user, used=used):
                self.setUp()
                self.include(user, used)
                self.expect(check_layers.check, f"{user}:1:")

    def test_finds_paths_not_relative_to_the_root(self):
        self.header("weft/ops/add.h")
        self.write("weft/ops/add.cpp", '#include "add.h"\n')
        self.expect(check_layers.check, "is not a path from the root")

    def test_finds_angle_brackets_around_the_project(self):
        self.header("weft/ops/add.h")
        self.write("weft/ops/add.cpp", "#include <weft/ops/add.h>\n")
        self.expect(check_layers.check, "expected \"weft/ops/add.h\"")

    def test_finds_cycles(self):
        self.header("weft/ops/a.h", '#include "weft/ops/b.h"')
        self.header("weft/ops/b.h", '#include "weft/ops/c.h"')
        self.header("weft/ops/c.h", '#include "weft/ops/a.h"')
        self.expect(check_layers.check, "weft/ops/a.h -> weft/ops/b.h -> weft/ops/c.h")

    def test_finds_libraries_in_other_files(self):
        for path, library in (("weft/kernels/cpu/norm.cpp", "oneapi/dnnl/dnnl.hpp"),
                              ("weft/ops/add.cpp", "hwy/highway.h"),
                              ("weft/train/log.cpp", "spdlog/spdlog.h")):
            with self.subTest(path=path):
                self.setUp()
                self.write(path, f"#include <{library}>\n")
                self.expect(check_layers.check, f"includes {library}, which only")

    def test_accepts_libraries_in_their_files(self):
        self.write("weft/kernels/cpu/products/onednn_product.cpp",
                   "#include <oneapi/dnnl/dnnl.hpp>\n")
        self.write("weft/kernels/cpu/norm.cpp", "#include <hwy/highway.h>\n")
        self.expect_nothing(check_layers.check)

    def task(self, name, base="train::Task"):
        self.header(f"weft/tasks/{name}/{name}.h",
                    f"class {name.title()} final : public {base} {{}};")

    def test_finds_tasks_that_a_lower_layer_names(self):
        for path, code in (("weft/train/loop.cpp", "run<TaggingOptions>();"),
                           ("weft/train/loop.cpp", "if (is_tagging) run();"),
                           ("weft/decode/loop.cpp", "struct Tagging {};"),
                           ("weft/model_file/loop.cpp", "constexpr auto kTagging = 1;"),
                           ("weft/nn/loop.cpp", 'if (name == "tagging") run();'),
                           ("weft/data/loop.cpp", "int TAGGING_LINES = 1;")):
            with self.subTest(path=path, code=code):
                self.setUp()
                self.task("tagging", "SessionTask<TaggingOptions, Session>")
                self.write(path, f"int a;\n{code}\n")
                self.expect(check_layers.check, f"{path}:2: names the task tagging")

    def test_accepts_tasks_in_tasks_and_apps_and_their_names_in_prose(self):
        self.task("tagging")
        self.write("weft/tasks/tagging/options.cpp", "TaggingOptions options;\n")
        self.header("weft/predict/tagging/words.h", "struct Words {};")
        self.write("apps/weft/train.cpp", 'constexpr auto kTask = "tagging";\n')
        self.write("tests/train/loop_test.cpp", "Tagging task;\n")
        self.write("weft/train/loop.cpp",
                   '// such as "tagging"\nauto help = "of tagging alone";\nTagger stagging;\n')
        self.expect_nothing(check_layers.check)

    def test_finds_unknown_layers(self):
        self.write("weft/misc/a.cpp", "\n")
        self.expect(check_layers.check, "is in no known layer")


class Style(Tree):
    def body(self, text, path="weft/ops/a.cpp"):
        self.write(path, f"namespace weft::ops {{\n{text}\n}}  // namespace weft::ops\n")

    def test_accepts_clean_code(self):
        self.header("weft/ops/softmax.h", "int softmax(int a, int b, int c, int d, int e);")
        self.body("int softmax(int B, int N) { return B + N; }")
        self.expect_nothing(check_style.check)

    def test_finds_each_violation_in_a_line(self):
        for line, message in (("int x;  ", "trailing whitespace"),
                              ("// TO" "DO: later", "left in the text"),
                              ("// see /ho" "me/me/x", "the absolute path"),
                              ("int x;  //" + "x" * 100, "columns, at most 100"),
                              ("\tint x;", "a tab"),
                              ("#ifdef FAST", "a preprocessor condition"),
                              ("int E = 1;", "the single capital E"),
                              ("int sum_new = 1;", "the name sum_new"),
                              ("uint32_t kMaskingSite = 1;",
                               "the name kMaskingSite; the field says RNG stream"),
                              ("int x = a.dropout_site;", "the name dropout_site"),
                              ("Tensor every_layer;", "the field says hidden_states"),
                              ("int f(int a, const Rule& how) {", "the parameter or field how"),
                              ("int f(int a, int b, int c, int d, int e, int f) {}",
                               "f takes 6 parameters"),
                              ("int f(int a, int b, int c, int d, int e, int f);",
                               "f takes 6 parameters"),
                              ("auto f = [](int a, int b, int c, int d, int e, int f) {};",
                               "lambda takes 6 parameters")):
            with self.subTest(line=line):
                self.setUp()
                self.body(line)
                self.expect(check_style.check, message)

    def test_accepts_names_that_hold_a_coined_one(self):
        self.body("int composite = residual_norm_composite + every_layer_norm;  // of each site")
        self.expect_nothing(check_style.check)

    def test_finds_names_that_are_not_used(self):
        self.body("using std::a, std::b;\nint x = a;")
        self.expect(check_style.check, "using b, which is not used")
        self.setUp()
        self.body("using std::a;\nint x = a;")
        self.expect_nothing(check_style.check)

    def test_finds_long_functions(self):
        self.body("void f() {\n" + "  g();\n" * 79 + "}")
        self.assertTrue(any("f has 81 lines, at most 80" in m
                            for m in self.messages(check_style.check)))

    def test_finds_a_high_percentile_of_function_lengths(self):
        self.body("\n".join(f"void f{i}() {{\n" + "  g();\n" * 60 + "}" for i in range(3)))
        self.expect(check_style.check, "p95 of functions is 62 lines, at most 50")

    def test_finds_long_files(self):
        self.body("int x;\n" * 700)
        self.assertTrue(any("703 lines in a file, at most 500" in m
                            for m in self.messages(check_style.check)))

    def test_finds_long_examples(self):
        self.write("examples/01_a.cpp", "int x;\n" * 81)
        self.expect(check_style.check, "81 lines in an example, at most 80")

    def test_finds_wrong_guards(self):
        self.write("weft/ops/a.h", GUARDED.format("WEFT_A_H_", "namespace weft::ops {}"))
        self.assertTrue(any("expected the header guard WEFT_OPS_A_H_" in m
                            for m in self.messages(check_style.check)))

    def test_finds_missing_guards(self):
        self.write("weft/ops/a.h", "#pragma once\nnamespace weft::ops {}\n")
        self.expect(check_style.check, "expected the header guard WEFT_OPS_A_H_")

    def test_finds_the_wrong_namespace(self):
        self.write("weft/ops/a.cpp", "namespace weft::nn {}\n")
        self.expect(check_style.check, "declares nothing in namespace weft::ops")

    def test_finds_deep_folders_and_second_versions(self):
        self.body("int x;", "weft/ops/a/b/c/d.cpp")
        self.expect(check_style.check, "5 folders deep, at most 4")
        self.setUp()
        self.body("int x;", "weft/ops/softmax_v2.cpp")
        self.expect(check_style.check, "the name softmax_v2.cpp")

    def test_finds_full_folders(self):
        for number in range(40):
            self.write(f"docs/{number}.md", "text\n")
        self.write("docs/more/a.md", "text\n")
        self.expect_nothing(check_style.check)
        self.write("docs/a.md", "text\n")
        self.expect(check_style.check, "docs:1: 41 files in a folder, at most 40")

    def test_finds_quotes_of_other_code(self):
        self.write("weft/a.py", "one = 1\ntwo = 2\n")
        page = "# A\n\n`weft/a.py`: so\n\n    two = {}\n\n## B\n\n    free text\n"
        self.write("docs/forward.md", page.format(2))
        self.expect_nothing(check_style.check)
        self.write("docs/forward.md", page.format(3))
        self.expect(check_style.check, "quotes what the file does not say: two = 3")

    def test_finds_a_missing_end_of_line(self):
        self.write("docs/a.md", "text")
        self.expect(check_style.check, "no newline at the end")

    def test_finds_python_functions_with_many_parameters(self):
        self.write("tools/a.py", "def f(a, b, c, d, e, g):\n    pass\n")
        self.expect(check_style.check, "f takes 6 parameters")

    def test_ignores_comments_and_literals(self):
        self.body('// E\nauto x = "E #if";\nauto y = U\'E\';\nint z = 1\'000;\n'
                  'auto w = R"(E {)";')
        self.expect_nothing(check_style.check)


class Functions(unittest.TestCase):
    def found(self, text):
        return [(f.name, f.first, f.last, f.parameters) for f in functions(blank(text))]

    def test_handles_classes_templates_and_initialisers(self):
        text = ("namespace a {\n"
                "template <class T, class V>\n"
                "class Box : public Base<T> {\n"
                " public:\n"
                "  Box(int a, std::map<int, int> b) : a_{a}, b_(b) {\n"
                "  }\n"
                "  bool operator<(const Box& other) const { return a_ < other.a_; }\n"
                "  int operator()(int a, int b) const;\n"
                "  int a_ = 0;\n"
                "  std::vector<int> b_{1, 2};\n"
                "};\n"
                "constexpr int kTable[] = {1, 2};\n"
                "enum class Kind { kOne, kTwo };\n"
                "}\n")
        self.assertEqual([("Box", 5, 6, 2), ("operator_", 7, 7, 1), ("operator__", 8, 8, 2)],
                         self.found(text))

    def test_counts_parameters_outside_brackets(self):
        text = "void f(std::function<void(int, int)> a, int b = g(1, 2), int c[] = {});"
        self.assertEqual([("f", 1, 1, 3)], self.found(text))

    def test_treats_tests_as_functions(self):
        self.assertEqual([("TEST", 1, 3, 2)], self.found("TEST(A, B) {\n  g();\n}\n"))


if __name__ == "__main__":
    unittest.main()
