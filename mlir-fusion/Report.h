//===-- Report.h - Tables and JSON ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the subcommands show numbers, and how they write files and errors.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_REPORT_H
#define MLIR_FUSION_REPORT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace mlir::fusion {

/// Rows of text in aligned columns.
class Table {
public:
  /// The titles; a column whose title starts with '>' is right-aligned.
  explicit Table(std::vector<std::string> titles);
  void addRow(std::vector<std::string> cells);
  void print(raw_ostream &os) const;
  bool empty() const { return rows.empty(); }

private:
  std::vector<bool> rightAligned;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> titles;
};

/// 1.3 MB, 12 kB, 7 B: powers of 1000.
std::string formatBytes(int64_t bytes);
/// 4.1 G, 12 M: powers of 1000.
std::string formatCount(int64_t count);
/// `value` with `digits` after the point.
std::string formatFixed(double value, int digits);

llvm::json::Object toJson(const std::map<std::string, int64_t> &counts);

/// Prints `mlir-fusion: error: message` on stderr and fails.
LogicalResult error(const Twine &message);

/// From now on only a file "-" is written to standard output, all else that
/// would be to standard error.
void keepStandardOutput();

/// Writes a file by `write`, given a temporary path beside it, and renames it
/// at the end: there is never half a file.
LogicalResult
writeAtomically(StringRef path,
                llvm::function_ref<LogicalResult(StringRef)> write);
/// Writes `text` to a file, or to standard output if `path` is "-".
LogicalResult writeText(StringRef path, StringRef text);
LogicalResult writeJson(StringRef path, llvm::json::Object object);

} // namespace mlir::fusion

#endif // MLIR_FUSION_REPORT_H
