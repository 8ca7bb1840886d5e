//===-- Report.cpp - Tables and JSON --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and files that all subcommands make in the same way.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "FusionDialect/Target/NewFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

Table::Table(std::vector<std::string> columns) {
  for (StringRef title : columns) {
    rightAligned.push_back(title.consume_front(">"));
    titles.push_back(title.str());
  }
}

void Table::addRow(std::vector<std::string> cells) {
  cells.resize(titles.size());
  rows.push_back(std::move(cells));
}

void Table::print(raw_ostream &os) const {
  auto getWidth = [](StringRef cell) -> size_t {
    return std::max(llvm::sys::unicode::columnWidthUTF8(cell), 0);
  };
  std::vector<size_t> widths(titles.size());
  auto widen = [&](const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], getWidth(cells[i]));
  };
  auto printRow = [&](const std::vector<std::string> &cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string padding(widths[i] - getWidth(cells[i]), ' ');
      line += rightAligned[i] ? padding + cells[i] : cells[i] + padding;
      line += "  ";
    }
    os << StringRef(line).rtrim() << "\n";
  };
  widen(titles);
  llvm::for_each(rows, widen);
  printRow(titles);
  llvm::for_each(rows, printRow);
}

std::string fusion::formatFixed(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

static std::string formatScaled(int64_t value, ArrayRef<StringRef> units) {
  double scaled = value;
  size_t unit = 0;
  while (std::abs(scaled) >= 1000 && unit + 1 < units.size()) {
    scaled /= 1000;
    ++unit;
  }
  int digits = unit == 0 || std::abs(scaled) >= 100 ? 0 : 1;
  std::string text = formatFixed(scaled, digits);
  return units[unit].empty() ? text : text + " " + units[unit].str();
}

std::string fusion::formatBytes(int64_t bytes) {
  return formatScaled(bytes, {"B", "kB", "MB", "GB", "TB"});
}

std::string fusion::formatCount(int64_t count) {
  return formatScaled(count, {"", "k", "M", "G", "T"});
}

llvm::json::Object
fusion::toJson(const std::map<std::string, int64_t> &counts) {
  llvm::json::Object object;
  for (const auto &[name, count] : counts)
    object[name] = count;
  return object;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

LogicalResult fusion::error(const Twine &message) {
  llvm::errs() << "mlir-fusion: error: " << message << "\n";
  return failure();
}

LogicalResult
fusion::writeAtomically(StringRef path,
                        llvm::function_ref<LogicalResult(StringRef)> write) {
  if (path == "-")
    return write(path);
  // A device or a pipe cannot be replaced by a file.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return write(path);
  SmallString<128> temporary;
  auto fail = [&](std::error_code code) {
    return error(path + ": cannot write: " + code.message());
  };
  if (std::error_code code = createNewFile(path + ".%%%%%%%%.tmp", temporary))
    return fail(code);
  if (failed(write(temporary))) {
    llvm::sys::fs::remove(temporary);
    return failure();
  }
  std::error_code code = llvm::sys::fs::rename(temporary, path);
  if (code)
    llvm::sys::fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return code ? fail(code) : success();
}

/// Where standard output is.
static int standardOutput = STDOUT_FILENO;

void fusion::keepStandardOutput() {
  standardOutput = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

LogicalResult fusion::writeText(StringRef path, StringRef text) {
  if (path == "-") {
    llvm::raw_fd_ostream os(standardOutput, /*shouldClose=*/false);
    os << text;
    os.flush();
    std::error_code code = os.error();
    os.clear_error();
    return code ? error("standard output: cannot write: " + code.message())
                : success();
  }
  return writeAtomically(path, [&](StringRef temporary) {
    std::error_code code;
    llvm::raw_fd_ostream os(temporary, code);
    if (!code) {
      os << text;
      os.close();
      code = os.error();
      os.clear_error();
    }
    return code ? error(path + ": cannot write: " + code.message()) : success();
  });
}

LogicalResult fusion::writeJson(StringRef path, llvm::json::Object object) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:1}\n", llvm::json::Value(std::move(object)));
  return writeText(path, text);
}
