//===-- InputMutator.h - Models that are nearly models ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the tokens and lines of a model's text, so that most of what comes
// out still parses.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_INPUTMUTATOR_H
#define FUZZ_INPUTMUTATOR_H

#include "mlir/Support/LLVM.h"
#include <random>
#include <string>
#include <vector>

namespace mlir::fusion {

class InputMutator {
public:
  /// Reads words as libFuzzer's option -dict has them: one in quotes a line.
  void addWords(StringRef dictionary);
  /// A few changes of `text`.
  std::string mutate(StringRef text, unsigned seed);
  /// Lines of `text` with some of `other` between them.
  std::string cross(StringRef text, StringRef other, unsigned seed);

private:
  std::string changeOnce(StringRef text);
  std::string changeNumber(StringRef text);
  std::string changeToken(StringRef text);
  std::string changeLines(StringRef text);
  size_t pick(size_t count);

  std::mt19937 random;
  std::vector<std::string> words;
};

} // namespace mlir::fusion

#endif // FUZZ_INPUTMUTATOR_H
