// Samples of a training as text for people.
#ifndef WEFT_TASKS_SAMPLE_TABLE_H_
#define WEFT_TASKS_SAMPLE_TABLE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace weft::tasks {

// Named texts as a table in Markdown, a row for each.
std::string sample_table(std::initializer_list<std::pair<std::string_view, std::string_view>> rows);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SAMPLE_TABLE_H_
