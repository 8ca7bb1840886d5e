//===-- InputMutator.cpp - Models that are nearly models ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A token gives way to one of its kind (a number, a name of an op, a value, a
// symbol), once or everywhere; lines are doubled, dropped and exchanged.
//
//===----------------------------------------------------------------------===//

#include "InputMutator.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;

/// Numbers at which something ends.
static constexpr StringLiteral kNumbers[] = {"0",
                                             "1",
                                             "2",
                                             "3",
                                             "4",
                                             "5",
                                             "7",
                                             "8",
                                             "16",
                                             "17",
                                             "64",
                                             "-1",
                                             "-2",
                                             "255",
                                             "256",
                                             "1000",
                                             "65536",
                                             "1000000000",
                                             "2147483647",
                                             "2147483648",
                                             "4294967296",
                                             "1152921504606846976",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "?",
                                             "0.0",
                                             "1.0e+39",
                                             "0x7FC00000"};

namespace {
/// Where a token stands in a text.
struct Token {
  size_t begin, end;
};
} // namespace

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordPart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

/// What may stand in each other's place begins alike.
static char getKind(StringRef token) {
  char first = token.front();
  if (llvm::isDigit(first))
    return '0';
  if (isWordStart(first))
    return token.contains('.') ? '.' : 'a';
  return StringRef("%@#!^\"").contains(first) ? first : ' ';
}

static SmallVector<Token> getTokens(StringRef text) {
  SmallVector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    char first = text[begin];
    if (llvm::isSpace(first))
      continue;
    if (first == '"') {
      while (i < text.size() && text[i] != '"' && text[i] != '\n')
        ++i;
      i = std::min(i + 1, text.size());
    } else if (llvm::isDigit(first)) {
      while (i < text.size() && llvm::isDigit(text[i]))
        ++i;
    } else if (isWordStart(first) || getKind(text.substr(begin, 1)) != ' ') {
      while (i < text.size() && isWordPart(text[i]))
        ++i;
    }
    tokens.push_back({begin, i});
  }
  return tokens;
}

static StringRef getText(StringRef text, Token token) {
  return text.slice(token.begin, token.end);
}

static std::string put(StringRef text, Token token, StringRef replacement) {
  return (text.take_front(token.begin) + replacement +
          text.drop_front(token.end))
      .str();
}

/// `text` with `replacement` for each token that equals `token`.
static std::string putEverywhere(StringRef text, ArrayRef<Token> tokens,
                                 StringRef token, StringRef replacement) {
  std::string result;
  size_t last = 0;
  for (Token other : tokens) {
    if (getText(text, other) != token)
      continue;
    result += text.slice(last, other.begin);
    result += replacement;
    last = other.end;
  }
  result += text.drop_front(last);
  return result;
}

void InputMutator::addWords(StringRef dictionary) {
  for (StringRef line : llvm::split(dictionary, '\n'))
    if (line.consume_front("\"") && line.consume_back("\"") && !line.empty())
      words.push_back(line.str());
}

size_t InputMutator::pick(size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}

std::string InputMutator::changeNumber(StringRef text) {
  SmallVector<Token> tokens;
  // Also the sizes inside of a type, which are no tokens of their own.
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    if (!llvm::isDigit(text[begin]))
      continue;
    while (i < text.size() && llvm::isDigit(text[i]))
      ++i;
    tokens.push_back({begin, i});
  }
  if (tokens.empty())
    return text.str();
  Token token = tokens[pick(tokens.size())];
  StringRef number = kNumbers[pick(std::size(kNumbers))];
  // Another of the text keeps types alike.
  if (pick(3) == 0)
    number = getText(text, tokens[pick(tokens.size())]);
  return pick(2) ? put(text, token, number)
                 : putEverywhere(text, tokens, getText(text, token), number);
}

std::string InputMutator::changeToken(StringRef text) {
  SmallVector<Token> tokens = getTokens(text);
  if (tokens.empty())
    return text.str();
  Token token = tokens[pick(tokens.size())];
  StringRef old = getText(text, token);
  switch (pick(8)) {
  case 0:
    return put(text, token, "");
  case 1:
    return put(text, token, (old + " " + old).str());
  case 2:
    if (words.empty())
      break;
    return put(text, token, (old + " " + words[pick(words.size())]).str());
  default:
    break;
  }
  SmallVector<StringRef> alike;
  for (Token other : tokens)
    if (getKind(getText(text, other)) == getKind(old))
      alike.push_back(getText(text, other));
  StringRef replacement = alike[pick(alike.size())];
  if (!words.empty() && pick(2)) {
    // A few tries find a word of the kind.
    for (unsigned i = 0; i < 50; ++i) {
      StringRef word = words[pick(words.size())];
      if (getKind(word) != getKind(old))
        continue;
      replacement = word;
      break;
    }
  }
  return pick(3) ? put(text, token, replacement)
                 : putEverywhere(text, tokens, old, replacement);
}

std::string InputMutator::changeLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  size_t one = pick(lines.size()), other = pick(lines.size());
  switch (pick(4)) {
  case 0:
    lines.erase(lines.begin() + one);
    break;
  case 1:
    lines.insert(lines.begin() + other, StringRef(lines[one]));
    break;
  case 2:
    std::swap(lines[one], lines[other]);
    break;
  default:
    lines[one] = lines[other];
    break;
  }
  return llvm::join(lines, "\n");
}

std::string InputMutator::changeOnce(StringRef text) {
  if (text.empty())
    return "module {}";
  switch (pick(8)) {
  case 0:
    return changeLines(text);
  case 1:
  case 2:
  case 3:
    return changeNumber(text);
  default:
    return changeToken(text);
  }
}

std::string InputMutator::mutate(StringRef text, unsigned seed) {
  random.seed(seed);
  std::string result = text.str();
  for (size_t i = 0, e = 1 + pick(3); i < e; ++i)
    result = changeOnce(result);
  return result;
}

std::string InputMutator::cross(StringRef text, StringRef other,
                                unsigned seed) {
  random.seed(seed);
  SmallVector<StringRef> lines, others;
  text.split(lines, '\n');
  other.split(others, '\n');
  size_t begin = pick(others.size());
  size_t count = 1 + pick(std::min<size_t>(others.size() - begin, 8));
  auto part = ArrayRef(others).slice(begin, count);
  lines.insert(lines.begin() + pick(lines.size() + 1), part.begin(),
               part.end());
  return llvm::join(lines, "\n");
}
