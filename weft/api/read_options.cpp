#include "weft/api/read_options.h"

#include <algorithm>

namespace weft::api {

void assign(const Options& given, options::OptionTable& table) {
  for (const Option& option : given) {
    std::string name = option.name;
    std::ranges::replace(name, '_', '-');
    table.assign({.name = name,
                  .values = option.value.texts(),
                  .where = name,
                  .is_list = option.value.is_list()});
  }
}

}  // namespace weft::api
