//===-- InputText.cpp - A look at a model's text before parsing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the text that knows brackets, strings and comments.
//
//===----------------------------------------------------------------------===//

#include "InputText.h"
#include "Report.h"

using namespace mlir;
using namespace mlir::fusion;

static LogicalResult errorAt(StringRef path, StringRef text, size_t place,
                             const Twine &message) {
  StringRef before = text.take_front(place);
  size_t column = place - (before.rfind('\n') + 1) + 1;
  return error(path + ":" + Twine(before.count('\n') + 1) + ":" +
               Twine(column) + ": " + message);
}

/// Where the string that begins at `begin` ends.
static size_t skipString(StringRef text, size_t begin) {
  size_t i = text.find_first_of("\"\\\n", begin + 1);
  while (i != StringRef::npos && text[i] == '\\')
    i = text.find_first_of("\"\\\n", i + 2);
  return i == StringRef::npos ? text.size() : i + 1;
}

LogicalResult fusion::checkInputText(StringRef path, StringRef text) {
  int64_t depth = 0;
  // Behind the ops are their resources: {-# … #-}.
  bool inResources = false;
  for (size_t i = text.find_first_of("([{<)]}>/\""); i < text.size();
       i = text.find_first_of("([{<)]}>/\"", i)) {
    StringRef rest = text.drop_front(i);
    switch (rest.front()) {
    case '<':
      if (rest.starts_with("<="))
        break;
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      inResources |= rest.starts_with("{-#");
      if (++depth > kMaxBrackets)
        return errorAt(path, text, i,
                       "expected brackets nested at most " +
                           Twine(kMaxBrackets) + " deep, got one deeper");
      break;
    case ')':
    case ']':
    case '}':
      --depth;
      break;
    case '>':
      // No bracket in -> and >=, as none in <=.
      if ((i == 0 || text[i - 1] != '-') && !rest.starts_with(">="))
        --depth;
      break;
    case '/':
      if (rest.starts_with("//"))
        i = std::min(text.find('\n', i), text.size() - 1);
      break;
    case '"':
      // Four bytes of alignment, then the data.
      if (inResources && rest.starts_with("\"0x00000000"))
        return errorAt(path, text, i,
                       "expected a resource of an alignment of at least 1, "
                       "got 0");
      i = skipString(text, i);
      continue;
    }
    ++i;
  }
  return success();
}
