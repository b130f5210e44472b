// The training text, tokenised once and kept in a file for the starts that follow.
#ifndef WEFT_DATA_CORPUS_CORPUS_CACHE_H_
#define WEFT_DATA_CORPUS_CORPUS_CACHE_H_

#include <string>
#include <vector>

#include "weft/data/corpus/corpus.h"
#include "weft/data/options.h"

namespace weft::data {

// Throws OptionError where --corpus-cache names a folder that is not there.
void check_corpus_cache(const DataOptions& options);

// The file of tokenised text, whether it is there or not; empty where there is to be none: with
// --corpus-cache off, where a text is no regular file, and with auto where it is small or no
// vocabulary has a file. The name stands for those of text and vocabularies. Throws as
// training_files does.
std::string corpus_cache_path(const DataOptions& options);

// The corpora of --train-sets: from the file at corpus_cache_path() where it holds this text by
// these tokenisers and limits, else tokenised, into that file where it can be written. Throws
// FileError where text changes while it is read into the file, and as training_files and
// read_corpus do.
Corpus load_training_corpus(const DataOptions& options, std::vector<TokeniserPtr> tokenisers);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_CACHE_H_
