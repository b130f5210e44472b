// Errors in the input are reported in one line that names the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr int kFailure = 1;
constexpr int kBadOptions = 2;

struct BadInput {
  std::string name;
  std::vector<std::string> args;
  int status;
  std::vector<std::string> says;                                // substrings of the error line
  std::vector<std::pair<std::string, std::string>> files = {};  // files in the working directory
  std::string input = {};
};

std::ostream& operator<<(std::ostream& out, const BadInput& c) { return out << c.name; }

BadInput with_yaml(std::string name, std::string yaml, std::vector<std::string> says,
                   int status = kFailure) {
  return {std::move(name),
          {"train", "-c", "a.yml"},
          status,
          std::move(says),
          {{"a.yml", std::move(yaml)}}};
}

std::vector<BadInput> commands() {
  return {
      {"NoCommand", {}, kBadOptions, {"no command given", "weft --help"}},
      {"UnknownCommand", {"trian"}, kBadOptions, {"'trian'", "did you mean train?"}},
      {"EmptyCommand", {""}, kBadOptions, {"unknown command ''", "expected one of"}},
      {"OptionForCommand", {"--model", "x"}, kBadOptions, {"unknown command '--model'"}},
      {"CommandWithLineBreak", {"tra\nin"}, kBadOptions, {"'tra\\nin'"}},
  };
}

std::vector<BadInput> flags() {
  return {
      {"UnknownFlag", {"train", "--enc-dpeth", "3"}, kBadOptions, {"--enc-dpeth", "--enc-depth?"}},
      {"UnknownFlagNearNothing", {"train", "--xyzzy"}, kBadOptions, {"--xyzzy: unknown option"}},
      {"UnknownLetter", {"train", "-z"}, kBadOptions, {"-z: unknown option", "--help"}},
      {"LongNameWithOneDash", {"train", "-model", "x"}, kBadOptions, {"-model", "--model?"}},
      {"NegatedValue", {"train", "--no-model"}, kBadOptions, {"--no-model: unknown option"}},
      {"FlagWithoutValue",
       {"train", "--enc-depth"},
       kBadOptions,
       {"--enc-depth: no value; expected"}},
      {"FlagBeforeFlag", {"train", "-m", "--quiet"}, kBadOptions, {"-m: no value"}},
      {"FlagTwice", {"train", "-m", "a", "-m", "b"}, kBadOptions, {"--model: given 2 times"}},
      {"TextForNumber", {"train", "--enc-depth", "six"}, kBadOptions, {"a whole number", "'six'"}},
      {"FractionForWholeNumber",
       {"train", "--enc-depth=1.5"},
       kBadOptions,
       {"--enc-depth", "'1.5'"}},
      {"NumberWithRest", {"train", "--dim-emb", "12k"}, kBadOptions, {"--dim-emb", "'12k'"}},
      {"NumberTooSmall", {"train", "--enc-depth", "0"}, kBadOptions, {"out of range", "from 1 to"}},
      {"NumberTooLarge", {"train", "--enc-depth", "99999999999999999999"}, kBadOptions, {"'9999"}},
      {"NotANumber",
       {"train", "--transformer-dropout", "nan"},
       kBadOptions,
       {"not a number", "'nan'"}},
      {"InfiniteNumber", {"train", "--transformer-dropout", "inf"}, kBadOptions, {"not a number"}},
      {"UnknownChoice",
       {"train", "--transformer-norm", "per"},
       kBadOptions,
       {"expected one of post, pre", "'per'", "did you mean pre?"}},
      {"UnknownPreset",
       {"train", "--task", "transformer-tinny"},
       kBadOptions,
       {"transformer-base", "did you mean transformer-tiny?"}},
      {"BadPeriod",
       {"train", "--after", "3x"},
       kBadOptions,
       {"--after: not a period", "10e", "'3x'"}},
      {"BadSwitch",
       {"train", "--tied-embeddings=maybe"},
       kBadOptions,
       {"true or false", "'maybe'"}},
      {"StrayArgument", {"train", "translation", "stray"}, kBadOptions, {"unexpected 'stray'"}},
      {"UnknownTask",
       {"train", "translatoin"},
       kBadOptions,
       {"unknown task 'translatoin'; expected translation", "did you mean translation?"}},
      {"MissingRequired", {"train"}, kBadOptions, {"--model: not given"}},
      {"TooManyThreads",
       {"train", "--threads", "2000"},
       kBadOptions,
       {"--threads", "from 0 to 1024"}},
      {"LogIsAFolder",
       {"train", "-m", "m", "-t", "a", "b", "-v", "c", "d", "--log", "."},
       kFailure,
       {"--log: cannot open .: Is a directory"}},
      {"LogInNoFolder",
       {"train", "-m", "m", "-t", "a", "b", "-v", "c", "d", "--log", "no-such-folder/log"},
       kFailure,
       {"--log: cannot open", "no-such-folder"}},
  };
}

std::vector<BadInput> configs() {
  return {
      {"NoConfig",
       {"train", "-c", "no.yml"},
       kFailure,
       {"no.yml: cannot be opened", "No such file"}},
      {"ConfigIsAFolder", {"train", "-c", "."}, kFailure, {".: is a directory"}},
      {"EndlessConfig",
       {"train", "-c", "/dev/zero"},
       kFailure,
       {"/dev/zero: larger than 1048576 bytes"}},
      with_yaml("ContradictionInConfig",
                "model: m\ntransformer-heads: 3\ntrain-sets: [a, b]\nvocabs: [c, d]\n",
                {"a.yml:2: transformer-heads: 3 heads do not divide --dim-emb 512"}, kBadOptions),
      with_yaml("UnknownKey", "seed: 1\nenc-dpeth: 3\n", {"a.yml:2: enc-dpeth", "enc-depth?"},
                kBadOptions),
      with_yaml("KeyTwice", "seed: 1\nseed: 1\n", {"a.yml:2: seed: given twice", "a.yml:1"},
                kBadOptions),
      with_yaml("KeyAndItsAlias", "optimizer-delay: 1\nupdate-freq: 2\n", {"a.yml:2", "alias"},
                kBadOptions),
      with_yaml("KeyWithoutValue", "model:\n", {"a.yml:1: model: no value"}, kBadOptions),
      with_yaml("BadValueInConfig", "\nenc-depth: six\n", {"a.yml:2: enc-depth", "'six'"},
                kBadOptions),
      with_yaml("ValueOutOfRangeInConfig", "enc-depth: 0\n", {"a.yml:1: enc-depth: out of range"},
                kBadOptions),
      with_yaml("ListForOneValue", "enc-depth: [6, 6]\n", {"a.yml:1: enc-depth", "got a list"},
                kBadOptions),
      with_yaml("NestedValue", "model: {path: x}\n", {"a.yml:1: model: a value is nested"},
                kBadOptions),
      with_yaml("NoMap", "- seed\n- 1\n", {"a.yml:1: not a map"}),
      with_yaml("BadSyntax", "seed: 1\nmodel: [x\n", {"a.yml:", "invalid YAML"}),
      with_yaml("BadIndentation", "seed: 1\n  model: x\n", {"a.yml:2: invalid YAML"}),
      with_yaml("TwoDocuments", "seed: 1\n---\nseed: 2\n", {"a.yml: 2 documents"}),
      with_yaml("ConfigInConfig", "config: b.yml\n", {"a.yml:1: config: not allowed in a file"},
                kBadOptions),
      with_yaml("UnknownPresetInConfig", "task: tiny\n", {"a.yml:1: task", "transformer-tiny"},
                kBadOptions),
  };
}

// The working directory has two files of two lines; two vocabularies are to be built.
BadInput with_text(std::string name, const std::vector<std::string>& args,
                   std::vector<std::string> says, int status = kFailure) {
  BadInput out{std::move(name),
               {"train", "--quiet", "-m", "model", "-v", "a.yml", "b.yml", "--enc-depth", "1",
                "--dec-depth", "1", "--dim-emb", "8", "--transformer-dim-ffn", "8"},
               status,
               std::move(says),
               {{"a", "a b\nc d\n"}, {"b", "e f\ng h\n"}, {"one", "a b\n"}, {"empty", ""}}};
  out.args.insert(out.args.end(), args.begin(), args.end());
  return out;
}

std::vector<BadInput> training() {
  return {
      {"NoTrainSets", {"train", "-m", "m"}, kBadOptions, {"--train-sets: not given"}},
      with_text("NoSuchTrainSet", {"-t", "a", "no"}, {"no: cannot be opened", "No such file"}),
      with_text("TextWithoutALineEnd", {"-t", "a", "/dev/zero"},
                {"/dev/zero: no line end in 256 MiB after line 0; expected lines of text"}),
      with_text("AttentionScaleBelowFloat32", {"-t", "a", "b", "--attention-scale", "1e-300"},
                {"--attention-scale: expected a number from 1e-06 to 1000000, or 0"}, kBadOptions),
      with_text("SidesOfDifferentLength", {"-t", "a", "one"}, {"a + one", "got 2 and 1"}),
      with_text("EmptyText", {"-t", "empty", "empty"}, {"empty (for a.yml): no usable line"}),
      with_text("FilesThatMakeNoPairs", {"-t", "a", "b", "a"}, {"--train-sets", "got 3 files"},
                kBadOptions),
      with_text("TooManyWeights", {"-t", "a", "b", "--train-weights", "1", "2"},
                {"--train-weights", "expected one for each corpus"}, kBadOptions),
      with_text("TooManySizes", {"-t", "a", "b", "--dim-vocabs", "3", "4", "5"},
                {"--dim-vocabs", "got 3"}, kBadOptions),
      with_text("HeadsThatDoNotDivide", {"-t", "a", "b", "--transformer-heads", "3"},
                {"--transformer-heads", "--dim-emb"}, kBadOptions),
      with_text("TiedWithTwoVocabularies", {"-t", "a", "b", "--tied-embeddings-all"},
                {"--tied-embeddings-all", "hint: give the same file twice in --vocabs"},
                kBadOptions),
      with_text("FitWithoutWorkspace", {"-t", "a", "b", "--mini-batch-fit"},
                {"--mini-batch-fit: needs --workspace"}, kBadOptions),
      with_text("FitAndWords",
                {"-t", "a", "b", "--mini-batch-fit", "-w", "9", "--mini-batch-words", "50"},
                {"--mini-batch-words: contradicts --mini-batch-fit"}, kBadOptions),
      with_text("PiecesOfAWordList", {"-t", "a", "b", "--sentencepiece-type", "bpe"},
                {"--sentencepiece-type: needs a vocabulary of SentencePiece", "a.yml b.yml"},
                kBadOptions),
      with_text("WorkspaceWithoutFit", {"-t", "a", "b", "-w", "100"},
                {"--workspace: needs --mini-batch-fit"}, kBadOptions),
      with_text("NotEvenOneBatchFits",
                {"-t", "a", "b", "--mini-batch-fit", "-w", "1", "--transformer-dim-key", "4096"},
                {"--workspace: too small: an update of", "got 1;"}, kBadOptions),
      with_text("TraceOverTheText", {"-t", "a", "b", "--profile-trace", "a"},
                {"--profile-trace: would overwrite a"}, kBadOptions),
      {"ModelToTrainIsAFolder",
       {"train", "--quiet", "-m", ".", "-t", "a", "b", "-v", "c", "d"},
       kFailure,
       {".: is a directory; expected the path of a model file"}},
      with_text("NoSuchValidSet", {"-t", "a", "b", "--valid-sets", "no", "no"},
                {"no: cannot be opened"}),
  };
}

// Two hypotheses with a reference of another number of lines.
BadInput with_reference(std::string name, const std::string& reference,
                        std::vector<std::string> says) {
  return {std::move(name),
          {"evaluate", "-r", reference, "-i", "two"},
          kFailure,
          std::move(says),
          {{"two", "a\nb\n"}, {"one", "a\n"}, {"empty", ""}, {"latin", "a\n\xE9\n"}}};
}

std::vector<BadInput> evaluation() {
  return {
      {"NoReference", {"evaluate"}, kBadOptions, {"--references: not given"}},
      {"OptionThatNoMetricReads",
       {"evaluate", "-r", "a", "--metrics", "chrf", "--tokenize", "zh"},
       kBadOptions,
       {"--tokenize: belongs to --metrics bleu; got it with chrf"}},
      {"UnknownMetric", {"evaluate", "-r", "a", "--metrics", "blue"}, kBadOptions, {"mean bleu?"}},
      {"TwoReferencesOfAlignments",
       {"evaluate", "-r", "no", "none", "--metrics", "aer"},
       kBadOptions,
       {"--references: expected one file for aer, got 2"}},
      with_reference("NoSuchReference", "no", {"no: cannot be opened"}),
      with_reference("ReferenceIsAFolder", ".", {".: is a directory"}),
      with_reference("EmptyReference", "empty", {"empty: no text"}),
      with_reference("ReferenceOfOtherLength", "one", {"one: 1 line; expected 2"}),
      with_reference("ReferenceNotInUtf8", "latin", {"latin: line 2 is not UTF-8"}),
  };
}

BadInput with_model(std::string name, std::string model, std::vector<std::string> says) {
  return {std::move(name), {"translate", "--quiet", "-m", "model"}, kFailure,
          std::move(says), {{"model", std::move(model)}},           "some text\n"};
}

// A safetensors file: the header's length in eight bytes, the header, no tensors.
std::string safetensors(std::string header) {
  header.resize((header.size() + 63) / 64 * 64, ' ');
  std::string out(8, '\0');
  out[0] = static_cast<char>(header.size());
  return out + header;
}

std::vector<BadInput> models() {
  return {
      {"NoModel", {"translate"}, kBadOptions, {"--model: not given"}},
      {"NoSuchModel",
       {"translate", "-m", "no"},
       kFailure,
       {"no: cannot be opened", "No such file"}},
      {"ModelIsAFolder", {"translate", "-m", "."}, kFailure, {".: has no config.json"}},
      {"EmptyBeam",
       {"translate", "-m", "x", "-b", "0"},
       kBadOptions,
       {"--beam-size: out of range"}},
      {"TranslationsOverTheModel",
       {"translate", "-m", "m", "-o", "m"},
       kBadOptions,
       {"--output: would overwrite m"},
       {{"m", "x"}}},
      {"FiguresOverTheText",
       {"bench", "decode", "-m", "m", "-i", "in", "--json", "in"},
       kBadOptions,
       {"--json: would overwrite in"},
       {{"m", "x"}, {"in", "x\n"}}},
      {"ScoreLogOverTheText",
       {"score", "-m", "m", "-t", "in", "in", "--log", "./in"},
       kBadOptions,
       {"--log: would overwrite in"},
       {{"m", "x"}, {"in", "x\n"}}},
      {"TraceOverTheModel",
       {"train", "-m", "m", "-t", "a", "b", "-v", "c", "d", "--profile-trace", "m"},
       kBadOptions,
       {"--model: 'm' is also the output of --profile-trace"}},
      {"TraceOverTheTeacher",
       {"train", "-m", "m", "-t", "a", "b", "-v", "c", "d", "--teacher", "t", "--profile-trace",
        "t"},
       kBadOptions,
       {"--profile-trace: would overwrite t"}},
      {"StreamOfNBest",
       {"translate", "-m", "m", "--stream", "--n-best"},
       kBadOptions,
       {"--stream: contradicts --n-best"}},
      {"StreamOfNBestInConfig",
       {"translate", "-c", "a.yml"},
       kBadOptions,
       {"a.yml:2: stream: contradicts --n-best"},
       {{"a.yml", "model: m\nstream: true\nn-best: true\n"}}},
      {"SamplingWithoutAKind",
       {"translate", "-m", "m", "--sampling-topk", "3"},
       kBadOptions,
       {"--sampling-topk: "}},
      {"SumOfMeans",
       {"score", "-m", "m", "-t", "a", "b", "--summary", "--normalize"},
       kBadOptions,
       {"--normalize: applies to scores of lines"}},
      {"TwoWays",
       {"convert", "-m", "m", "--from-hf", "a", "--to-hf", "b"},
       kBadOptions,
       {"arguments: expected --from-hf, --from-gguf or --model, one of them"}},
      {"NothingToScore", {"score", "-m", "x"}, kBadOptions, {"--train-sets: not given"}},
      with_model("EmptyModel", "", {"model: not a safetensors file"}),
      with_model("ModelOfText", "just some text, no tensors\n", {"model: not a safetensors file"}),
      with_model("ModelWithBadHeader", safetensors("{\"a\": [}"), {"model: "}),
      with_model("ModelOfOthers", safetensors("{\"__metadata__\": {\"format\": \"pt\"}}"),
                 {"model: no 'weft.options'", "expected a model file written by Weft"}),
      with_model("ModelWithUnknownOption",
                 safetensors(R"({"__metadata__": {"weft.options": "{\"enc-dpeth\":1}"}})"),
                 {"model: unknown option 'enc-dpeth'", "did you mean enc-depth?"}),
  };
}

// Contradicting options give the same exit status in every command, before any named file is
// opened.
std::vector<BadInput> contradictions() {
  const std::vector<std::string> train = {"train", "-m", "m", "-t", "a", "b", "-v", "c", "d"};
  const auto training = [&](std::string name, const std::vector<std::string>& more,
                            std::string says) {
    BadInput out{std::move(name), train, kBadOptions, {std::move(says)}};
    out.args.insert(out.args.end(), more.begin(), more.end());
    return out;
  };
  return {
      training("OptionOfAnotherAttention", {"--attention-window", "3"},
               "--attention-window: belongs to --attention local; got it with full"),
      training("OptionOfSeveralAttentions", {"--attention-block", "3"},
               "--attention-block: belongs to --attention block-sparse or sinkhorn; got it with"),
      training("OptionOfAnotherType", {"--rnn-cell", "gru"},
               "--rnn-cell: belongs to --type rnn, rnn-attention or cnn; got it with transformer"),
      training("OptionOfAnotherGeneration", {"--ctc-upsampling", "3"},
               "--ctc-upsampling: belongs to --generation ctc; got it with left-to-right"),
      training("OptionOfAnotherNorm", {"--norm-momentum", "0.5"},
               "--norm-momentum: belongs to --norm-kind batch; got it with layer"),
      {"TwoLengthPenalties",
       {"translate", "-m", "no", "--normalize", "1", "--length-penalty", "1"},
       kBadOptions,
       {"--length-penalty: contradicts --normalize"}},
      {"OptionOfAnotherSampling",
       {"bench", "decode", "-m", "no", "-i", "no", "--sampling", "topk", "--sampling-topp", "0.5"},
       kBadOptions,
       {"--sampling-topp: belongs to --sampling topp; got it with topk"}},
      {"HeadsOfNoAlignment",
       {"score", "-m", "no", "-t", "no", "no", "--alignment-heads", "1.1"},
       kBadOptions,
       {"--alignment-heads: needs --alignment soft or hard"}},
      {"PrecisionOfNoFile",
       {"quantize", "-m", "no", "-o", "b", "--precision", "auto"},
       kBadOptions,
       {"--precision: unknown value; expected one of int8, int4, bfloat16, float32, got 'auto'"}},
  };
}

std::vector<BadInput> all_bad_inputs() {
  std::vector<BadInput> out;
  for (auto part : {commands, flags, configs, training, evaluation, models, contradictions}) {
    const std::vector<BadInput> cases = part();
    out.insert(out.end(), cases.begin(), cases.end());
  }
  return out;
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsReportedInOneLine) {
  const BadInput& c = GetParam();
  const Scratch scratch;
  for (const auto& [path, content] : c.files) scratch.file(path, content);
  const ProcessResult result = run_weft(c.args, {.input = c.input, .folder = scratch.folder()});
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, c.status);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_THAT(result.errors, testing::StartsWith("weft: "));
  for (const std::string& text : c.says) EXPECT_THAT(result.errors, HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(Program, BadInputTest, testing::ValuesIn(all_bad_inputs()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::test
