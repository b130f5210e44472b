// 04: from text to translations in C++: train on two files, load the model file, translate. The
// commands `weft train` and `weft translate` do the same.
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "weft/core/log.h"
#include "weft/model_file/translator.h"
#include "weft/predict/translation/translator.h"
#include "weft/tasks/translation/translation.h"
#include "weft/train/trainer.h"

using namespace weft;

static void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path) << text;
}

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("weft-example-{}", getpid());
  std::filesystem::create_directories(folder);
  write(folder / "train.en",
        "good morning\ngood evening\ngood night\nthank you\nthank you very much\nsee you tomorrow\n"
        "see you this evening\nwhere is the station ?\nwhere is the museum ?\na coffee , please\n");
  write(folder / "train.it",
        "buongiorno\nbuonasera\nbuonanotte\ngrazie\ngrazie mille\na domani\na stasera\n"
        "dov' è la stazione ?\ndov' è il museo ?\nun caffè , per favore\n");

  tasks::TranslationOptions options;
  options.loop.model = folder / "model.safetensors";
  options.loop.after = options::Period::updates(300);
  options.loop.overwrite = true;
  options.data.train_sets = {folder / "train.en", folder / "train.it"};
  options.data.vocabs = {folder / "en.vocab", folder / "it.vocab"};
  options.model.encoder.enc_depth = options.model.decoder.dec_depth = 1;
  options.model.encoder.dim_emb = 32;
  options.model.encoder.transformer.attention.heads = 2;
  options.model.encoder.transformer.feed_forward.inner = 64;
  options.schedule.learn_rate = 0.005;
  options.schedule.warmup = 50;
  log::set_sink([](log::Level, std::string_view message) { fmt::print("{}\n", message); });
  const std::atomic<bool> stop{false};
  train::Trainer(std::make_unique<tasks::Translation>(options)).run(stop, {});

  const model_file::TranslatorSession session =
      model_file::load<model_file::TranslatorSession>(options.loop.model);
  const predict::Translator translator(session, {});
  const std::vector<weft::Line> lines = {
      {"good morning"}, {"where is the museum ?"}, {"thank you very much"}};
  Report report;
  const auto found = predict::predict(translator, lines, report);
  for (size_t i = 0; i < lines.size(); ++i) {
    fmt::print("{} -> {}\n", lines[i].text, found[i].hypotheses.front().text);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
