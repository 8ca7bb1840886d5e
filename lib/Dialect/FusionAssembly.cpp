//===-- FusionAssembly.cpp - Custom assembly of roots ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parser and printer for all roots: attributes at their defaults and the
// identity epilogue are left out.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
constexpr StringLiteral kSegments = "operandSegmentSizes";
constexpr StringLiteral kDims = "epilogue_dims";

/// Window attributes, and the value that each of their elements has by default.
struct WindowAttr {
  StringLiteral name;
  int64_t byDefault;
};
constexpr WindowAttr kWindowAttrs[] = {{"strides", 1},
                                       {"dilations", 1},
                                       {"pad_low", 0},
                                       {"pad_high", 0},
                                       {"output_padding", 0}};

bool isIntArrayName(StringRef name) {
  return name == "window" || llvm::any_of(kWindowAttrs, [&](const auto &attr) {
           return attr.name == name;
         });
}

/// An enum value as a bare keyword.
template <typename AttrTy, typename EnumTy>
ParseResult parseEnum(OpAsmParser &parser,
                      std::optional<EnumTy> (*symbolize)(StringRef),
                      Attribute &attr) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  auto value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected a known enum value, got ")
           << keyword;
  attr = AttrTy::get(parser.getContext(), *value);
  return success();
}

ParseResult parseAttrValue(OpAsmParser &parser, StringRef name,
                           Attribute &attr) {
  if (isIntArrayName(name)) {
    SmallVector<int64_t> values;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(values.emplace_back());
        }))
      return failure();
    attr = parser.getBuilder().getDenseI64ArrayAttr(values);
    return success();
  }
  if (name == "input_layout" || name == "output_layout" || name == "layout")
    return parseEnum<ImageLayoutAttr, ImageLayout>(parser, symbolizeImageLayout,
                                                   attr);
  if (name == "filter_layout")
    return parseEnum<FilterLayoutAttr, FilterLayout>(
        parser, symbolizeFilterLayout, attr);
  if (name == "rhs_layout")
    return parseEnum<MatrixLayoutAttr, MatrixLayout>(
        parser, symbolizeMatrixLayout, attr);
  if (name == "algorithm")
    return parseEnum<AlgorithmAttr, Algorithm>(parser, symbolizeAlgorithm,
                                               attr);
  return parser.parseAttribute(attr);
}

ParseResult parseAttrDict(OpAsmParser &parser, NamedAttrList &attrs) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  if (succeeded(parser.parseOptionalRBrace()))
    return success();
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (attrs.get(name))
      return parser.emitError(loc, "expected attribute '")
             << name << "' once, got it twice";
    Attribute value = parser.getBuilder().getUnitAttr();
    if (succeeded(parser.parseOptionalEqual()) &&
        parseAttrValue(parser, name, value))
      return failure();
    attrs.append(name, value);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRBrace());
}

/// `epilogue(%acc: f32, %b = %bias[1] : tensor<64xf32>, …, init %d: f32) {…}`.
ParseResult
parseEpilogue(OpAsmParser &parser, Type initElement,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
              SmallVectorImpl<Type> &types, SmallVectorImpl<Attribute> &dims,
              Region &region) {
  if (failed(parser.parseOptionalKeyword("epilogue"))) {
    OpBuilder builder(parser.getContext());
    Location loc = parser.getEncodedSourceLoc(parser.getNameLoc());
    Block *block = builder.createBlock(&region, {}, initElement, loc);
    YieldOp::create(builder, loc, block->getArgument(0));
    return success();
  }
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseLParen() ||
      parser.parseArgument(arguments.emplace_back(), /*allowType=*/true))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (succeeded(parser.parseOptionalKeyword("init"))) {
      if (parser.parseArgument(argument, /*allowType=*/true))
        return failure();
      break;
    }
    SmallVector<int64_t> operandDims;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) ||
        parser.parseCommaSeparatedList(
            AsmParser::Delimiter::OptionalSquare,
            [&] { return parser.parseInteger(operandDims.emplace_back()); }) ||
        parser.parseColonType(types.emplace_back()))
      return failure();
    argument.type = getElementTypeOrScalar(types.back());
    dims.push_back(parser.getBuilder().getDenseI64ArrayAttr(operandDims));
  }
  return failure(parser.parseRParen() || parser.parseRegion(region, arguments));
}
} // namespace

ParseResult roots::parseRoot(OpAsmParser &parser, OperationState &result,
                             unsigned numInputs, bool hasKind) {
  Builder &builder = parser.getBuilder();
  if (hasKind) {
    Attribute kind;
    if (parseEnum<PoolKindAttr, PoolKind>(parser, symbolizePoolKind, kind))
      return failure();
    result.addAttribute("kind", kind);
  }

  SmallVector<OpAsmParser::UnresolvedOperand> inputs, epilogue, range;
  SmallVector<Type> inputTypes, epilogueTypes;
  SmallVector<Attribute> dims;
  OpAsmParser::UnresolvedOperand init;
  Type initType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("ins") || parser.parseLParen() ||
      parser.parseOperandList(inputs) ||
      parser.parseColonTypeList(inputTypes) || parser.parseRParen() ||
      parser.parseKeyword("outs") || parser.parseLParen() ||
      parser.parseOperand(init) || parser.parseColonType(initType) ||
      parser.parseRParen())
    return failure();
  if (inputs.size() != numInputs || inputTypes.size() != numInputs)
    return parser.emitError(loc, "expected ")
           << numInputs << " inputs and their types, got " << inputs.size()
           << " and " << inputTypes.size();
  SmallVector<Type> shapedTypes(inputTypes);
  shapedTypes.push_back(initType);
  for (Type type : shapedTypes)
    if (!isa<RankedTensorType, MemRefType>(type))
      return parser.emitError(loc, "expected a ranked tensor or memref, got ")
             << type;

  if (parseAttrDict(parser, result.attributes) ||
      parseEpilogue(parser, cast<ShapedType>(initType).getElementType(),
                    epilogue, epilogueTypes, dims, *result.addRegion()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("range")) &&
      parser.parseOperandList(range, 2, AsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    Type type;
    if (parser.parseType(type))
      return failure();
    result.addTypes(type);
  }

  SmallVector<Type> rangeTypes(range.size(), builder.getIndexType());
  if (parser.resolveOperands(inputs, inputTypes, loc, result.operands) ||
      parser.resolveOperands(epilogue, epilogueTypes, loc, result.operands) ||
      parser.resolveOperand(init, initType, result.operands) ||
      parser.resolveOperands(range, rangeTypes, loc, result.operands))
    return failure();

  // One segment an input, then epilogue, init and range.
  SmallVector<int32_t> segments(numInputs, 1);
  segments.append({static_cast<int32_t>(epilogue.size()), 1,
                   static_cast<int32_t>(range.size())});
  result.attributes.set(kSegments, builder.getDenseI32ArrayAttr(segments));
  result.attributes.set(kDims, builder.getArrayAttr(dims));
  int64_t rank = cast<ShapedType>(inputTypes.front()).getRank();
  for (const WindowAttr &attr : kWindowAttrs)
    if (llvm::is_contained(result.name.getAttributeNames(), attr.name) &&
        !result.attributes.get(attr.name))
      result.addAttribute(attr.name,
                          builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                              std::max<int64_t>(rank - 2, 0), attr.byDefault)));
  // Attributes of a wrong kind are named here, before they would be dropped.
  return result.name.verifyInherentAttrs(result.attributes, [&] {
    return parser.emitError(loc) << "'" << result.name << "' op ";
  });
}

static void printAttr(OpAsmPrinter &printer, NamedAttribute attr) {
  printer.printKeywordOrString(attr.getName());
  if (isa<UnitAttr>(attr.getValue()))
    return;
  printer << " = ";
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
      array && isIntArrayName(attr.getName()))
    printer << '[' << llvm::interleaved(array.asArrayRef()) << ']';
  else if (auto image = dyn_cast<ImageLayoutAttr>(attr.getValue()))
    printer << stringifyImageLayout(image.getValue());
  else if (auto filter = dyn_cast<FilterLayoutAttr>(attr.getValue()))
    printer << stringifyFilterLayout(filter.getValue());
  else if (auto matrix = dyn_cast<MatrixLayoutAttr>(attr.getValue()))
    printer << stringifyMatrixLayout(matrix.getValue());
  else if (auto algorithm = dyn_cast<AlgorithmAttr>(attr.getValue()))
    printer << stringifyAlgorithm(algorithm.getValue());
  else
    printer << attr.getValue();
}

static bool isDefault(NamedAttribute attr) {
  for (const WindowAttr &window : kWindowAttrs)
    if (attr.getName() == window.name)
      if (auto array = dyn_cast<DenseI64ArrayAttr>(attr.getValue()))
        return llvm::all_of(array.asArrayRef(), [&](int64_t value) {
          return value == window.byDefault;
        });
  if (attr.getName() == "groups")
    if (auto groups = dyn_cast<IntegerAttr>(attr.getValue()))
      return groups.getInt() == 1;
  if (auto image = dyn_cast<ImageLayoutAttr>(attr.getValue()))
    return image.getValue() == ImageLayout::ChannelsFirst;
  if (auto filter = dyn_cast<FilterLayoutAttr>(attr.getValue()))
    return filter.getValue() == FilterLayout::OutInSpatial;
  if (auto matrix = dyn_cast<MatrixLayoutAttr>(attr.getValue()))
    return matrix.getValue() == MatrixLayout::Plain;
  return false;
}

static void printEpilogue(OpAsmPrinter &printer, FusionRootOpInterface root) {
  Block &block = root.getEpilogueBlock();
  if (block.getNumArguments() == 1 && llvm::hasSingleElement(block) &&
      root.hasIdentityEpilogue())
    return;
  printer << " epilogue(";
  printer.printRegionArgument(block.getArgument(0));
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    printer << ", ";
    printer.printRegionArgument(root.getEpilogueArgument(i), {},
                                /*omitType=*/true);
    printer << " = " << root.getEpilogueOperand(i);
    if (ArrayRef<int64_t> dims = root.getEpilogueOperandDims(i); !dims.empty())
      printer << '[' << llvm::interleaved(dims) << ']';
    printer << " : " << root.getEpilogueOperand(i).getType();
  }
  if (root.readsInit()) {
    printer << ", init ";
    printer.printRegionArgument(block.getArguments().back());
  }
  printer << ") ";
  printer.printRegion(root.getEpilogueRegion(), /*printEntryBlockArgs=*/false);
}

void roots::printRoot(FusionRootOpInterface root, OpAsmPrinter &printer) {
  if (auto pool = dyn_cast<PoolOp>(*root))
    printer << ' ' << stringifyPoolKind(pool.getKind());
  OpOperand *init = root.getDpsInitOperand(0);
  unsigned numInputs = init->getOperandNumber() - root.getNumEpilogueOperands();
  OperandRange inputs = root->getOperands().take_front(numInputs);
  printer << " ins(" << inputs << " : " << inputs.getTypes() << ") outs("
          << init->get() << " : " << init->get().getType() << ')';

  SmallVector<NamedAttribute> attrs;
  for (NamedAttribute attr : root->getAttrs())
    if (attr.getName() != kSegments && attr.getName() != kDims &&
        attr.getName() != "kind" && !isDefault(attr))
      attrs.push_back(attr);
  if (!attrs.empty()) {
    printer << " {";
    llvm::interleaveComma(
        attrs, printer, [&](NamedAttribute attr) { printAttr(printer, attr); });
    printer << '}';
  }
  printEpilogue(printer, root);
  if (MutableOperandRange range = root.getRangeMutable(); !range.empty())
    printer << " range(" << range[0].get() << ", " << range[1].get() << ')';
  if (root->getNumResults() != 0)
    printer << " -> " << root->getResultTypes();
}
