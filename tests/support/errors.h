// Messages of errors.
#ifndef WEFT_TESTS_SUPPORT_ERRORS_H_
#define WEFT_TESTS_SUPPORT_ERRORS_H_

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace weft::test {

// The message of the Kind thrown by `act`. Fails the test if it throws another exception or none.
template <class Kind, class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const Kind& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_ERRORS_H_
