// Trains a classifier of phrases, if there is none yet, and labels the lines of standard input.
#include <weft/weft.h>

#include <filesystem>
#include <fstream>
#include <iostream>

int main() try {
  const std::string path = "phrases.safetensors";
  if (!std::filesystem::exists(path)) {
    std::ofstream("phrases.tsv") << "greeting\tgood morning\ngreeting\thello there\n"
                                    "farewell\tsee you later\nfarewell\tgood bye\n";
    const weft::TrainingResult result =
        weft::train_model("classification", {{"train-sets", {"phrases.tsv"}},
                                             {"vocabs", {"phrases.vocab"}},
                                             {"model", path},
                                             {"after", "30e"},
                                             {"dim-emb", 32},
                                             {"enc-depth", 1},
                                             {"transformer-heads", 2},
                                             {"learn-rate", 0.005}});
    std::cerr << "trained for " << result.updates << " updates\n";
  }
  const weft::Model model = weft::load(path);
  std::cerr << weft::evaluate_model({model}, {"phrases.tsv"}).text;
  for (const weft::OptionInfo& option : weft::Classifier::schema().infos()) {
    std::cerr << option.name << ": " << option.help << '\n';
  }
  const weft::Classifier classifier(model, {{"mini-batch", 8}});
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  for (const weft::Classification& found : classifier.classify(lines)) {
    std::cout << (found.fault ? found.fault->reason : found.labels.front()) << '\n';
  }
} catch (const weft::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
