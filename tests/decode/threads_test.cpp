// Several threads with one session. Under ThreadSanitizer this also looks for what they would share
// unguarded: pools, scratch buffers, tables made when they are first needed.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/decode/mixed_requests.h"
#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/decode/search/search.h"
#include "weft/decode/step_models.h"
#include "weft/predict/translation/score.h"
#include "weft/predict/translation/translator.h"

namespace weft::decode {
namespace {

constexpr int kThreads = 4;

using Lines = std::vector<std::string>;

// Runs body(t) for every t below kThreads, all at the same time.
void in_threads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

Lines translate(const model_file::TranslatorSession& session, const DecodeOptions& options,
                const Lines& lines) {
  const predict::Translator translator(session, options);
  Report report;
  Lines out = test::translated(translator, lines, report);
  for (std::string& line : test::translated(translator, lines, report)) {
    out.push_back(std::move(line));
  }
  return out;
}

// Options of the threads, different enough that they do not go in step.
std::vector<DecodeOptions> searches(const models::Seq2SeqOptions& model) {
  if (!model.is_left_to_right()) return {{}, {.mini_batch = 3}};
  return {{.beam_size = 3, .n_best = true},
          {.beam_size = 1, .mini_batch = 2},
          {.coverage_penalty = model.type.is<models::RnnType>() ? 0.0 : 0.2, .word_scores = true},
          {.sampling = {.kind = FromTopP{}, .seed = 3}}};
}

void expect_threads_to_agree(const model_file::TranslatorSession& session) {
  const Lines lines = random_lines(8);
  const std::vector<DecodeOptions> options = searches(session.model.options);
  std::vector<Lines> expected;
  for (const DecodeOptions& one : options) expected.push_back(translate(session, one, lines));
  std::vector<Lines> got(kThreads);
  in_threads([&](int t) {
    got[t] = translate(session, options[static_cast<size_t>(t) % options.size()], lines);
  });
  for (size_t t = 0; t < kThreads; ++t) EXPECT_EQ(got[t], expected[t % options.size()]) << t;
}

class SharedSession : public testing::TestWithParam<ModelCase> {};

TEST_P(SharedSession, TranslatesInManyThreadsAsInOne) {
  expect_threads_to_agree(small_session(GetParam().options));
}

std::vector<ModelCase> kinds() {
  std::vector<ModelCase> cases = {{"Transformer", small_options()}};
  const auto put = [&](std::string name) -> models::Seq2SeqOptions& {
    cases.push_back({std::move(name), small_options()});
    return cases.back().options;
  };
  test::set(put("Relative"), "--position relative");
  test::set(put("Linear"), "--attention linear");
  models::Seq2SeqOptions& clustered = put("Clustered");
  test::set(clustered, "--attention clustered --attention-clusters 4");
  test::set(put("Batch"), "--norm-kind batch");
  test::set(put("MaskPredict"), "--generation mask-predict");
  for (ModelCase& one : cases) one.options.encoder.enc_depth = one.options.decoder.dec_depth = 1;
  for (const char* type : {"rnn-attention", "cnn"}) {
    models::Seq2SeqOptions& earlier = put(type[0] == 'r' ? "Recurrent" : "Convolutions");
    earlier = models::Seq2SeqOptions();
    earlier.encoder.enc_depth = earlier.decoder.dec_depth = 1;
    earlier.encoder.dim_emb = 32;
    earlier.type.select(type);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedSession, testing::ValuesIn(kinds()),
                         [](const auto& one) { return one.param.name; });

TEST(Threads, LoadAndTranslateAtTheSameTime) {
  const test::Scratch folder;
  const std::string path = folder.path("model");
  model_file::TranslatorSession session = small_session(small_options());
  model_file::save(path, session, session.parameters);
  const Lines lines = random_lines(8);
  const auto loaded = [&](int t) {
    constexpr model_file::Precision kPrecisions[] = {model_file::Precision::kStored,
                                                     model_file::Precision::kInt8,
                                                     model_file::Precision::kBFloat16};
    return t == 3 ? model_file::load<model_file::TranslatorSession>(path)
                  : model_file::load_packed<model_file::TranslatorSession>(path, kPrecisions[t]);
  };
  std::vector<Lines> expected(kThreads), got(kThreads);
  for (int t = 0; t < kThreads; ++t) expected[t] = translate(loaded(t), {}, lines);
  in_threads([&](int t) { got[t] = translate(loaded(t), {}, lines); });
  EXPECT_EQ(got, expected);
  for (int t = 0; t < kThreads; ++t) expect_threads_to_agree(loaded(t));
}

TEST(Threads, HaveEnginesThatShareAModel) {
  const models::Seq2Seq model = small_model(small_options());
  const std::vector<Request> requests = mixed_requests(20);
  const auto run = [&](int64_t slots) {
    const std::unique_ptr<StepModel> steps = step_model(model);
    return search(*steps, requests, {.slots = slots});
  };
  const std::vector<NBest> expected = run(20);
  std::vector<std::vector<NBest>> got(kThreads);
  in_threads([&](int t) { got[t] = run(t + 1); });
  for (const std::vector<NBest>& one : got) {
    for (size_t r = 0; r < requests.size(); ++r) {
      EXPECT_TRUE(same_hypotheses(one[r], expected[r])) << r;
    }
  }
}

TEST(Threads, ScoreAtTheSameTime) {
  const model_file::TranslatorSession session = small_session(small_options());
  const std::string text = fmt::format("{}\n", fmt::join(random_lines(30), "\n"));
  const test::Scratch folder;
  const data::CorpusFiles files{{folder.file("source", text), folder.file("target", text)}, false};
  const auto scores = [&](int64_t words) {
    const data::Corpus corpus({files}, session.tokenisers, {.keep_all = true});
    std::vector<double> out;
    for (const predict::SentenceScore& s : predict::score(session.model, corpus, words)) {
      out.push_back(s.log_probability);
    }
    return out;
  };
  const std::vector<double> expected = scores(50);
  std::vector<std::vector<double>> got(kThreads);
  in_threads([&](int t) { got[t] = scores(20 * (t + 1)); });
  for (const std::vector<double>& one : got) EXPECT_EQ(one, expected);
}

}  // namespace
}  // namespace weft::decode
