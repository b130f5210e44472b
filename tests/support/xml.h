// Checks of XML text.
#ifndef WEFT_TESTS_SUPPORT_XML_H_
#define WEFT_TESTS_SUPPORT_XML_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

// How often `part` occurs.
inline int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (size_t i = text.find(part); i != std::string_view::npos; i = text.find(part, i + 1)) ++found;
  return found;
}

// Expects one root element, closed tags, quoted attributes and escaped text; knows no comments.
inline void expect_well_formed(std::string_view xml) {
  std::vector<std::string> open;
  size_t roots = 0;
  for (size_t i = 0; i < xml.size(); ++i) {
    ASSERT_TRUE(static_cast<unsigned char>(xml[i]) >= ' ' || xml[i] == '\n') << i;
    ASSERT_NE(xml[i], '>') << xml.substr(i);
    if (xml[i] == '&') {
      const std::string_view name = xml.substr(i + 1, xml.find(';', i) - i - 1);
      ASSERT_TRUE(name == "amp" || name == "lt" || name == "gt" || name == "quot") << name;
    }
    if (xml[i] != '<') continue;
    const size_t end = xml.find('>', i);
    ASSERT_NE(end, std::string_view::npos);
    const std::string_view tag = xml.substr(i + 1, end - i - 1);
    ASSERT_EQ(tag.find('<'), std::string_view::npos) << tag;
    ASSERT_EQ(count(tag, "\""), 2 * count(tag, "=\"")) << tag;
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else {
      if (open.empty()) ++roots;
      if (!tag.ends_with('/')) open.emplace_back(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(roots, 1u);
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_XML_H_
