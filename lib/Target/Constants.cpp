//===-- Constants.cpp - Weights go through as raw bytes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hundred megabytes of weights must cost no more than a few copies: no
// element is looked at.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::fusion;

/// The initial value of a global that can go into the arena; else none. Bits
/// and splats are left to the translation: their raw data is not what lies in
/// memory.
static FailureOr<ArrayRef<char>> getRawBytes(LLVM::GlobalOp global) {
  auto elements = dyn_cast_if_present<ElementsAttr>(global.getValueOrNull());
  if (!global.getConstant() || !elements || global.getAddrSpace() != 0)
    return ArrayRef<char>();
  Type type = elements.getElementType();
  unsigned bits = type.isIndex()        ? 64
                  : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                        : 0;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return ArrayRef<char>();
  uint64_t size = uint64_t(elements.getNumElements()) * (bits / 8);
  if (size <= arenaAlignment)
    return ArrayRef<char>();

  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements))
    return dense.isSplat() ? ArrayRef<char>() : dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource)
    return ArrayRef<char>();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return emitError(global.getLoc())
           << "expected data for the resource '"
           << resource.getRawHandle().getKey() << "'";
  if (blob->getData().size() != size)
    return emitError(global.getLoc())
           << "expected " << size << " bytes in the resource '"
           << resource.getRawHandle().getKey() << "', got "
           << blob->getData().size();
  return blob->getData();
}

/// Upstream's translation divides by the number of a resource's elements.
static void replaceEmptyResource(LLVM::GlobalOp global) {
  auto resource =
      dyn_cast_if_present<DenseResourceElementsAttr>(global.getValueOrNull());
  if (resource && resource.getType().getNumElements() == 0)
    global.setValueAttr(
        DenseElementsAttr::get(resource.getType(), ArrayRef<Attribute>()));
}

FailureOr<ConstantArena> mlir::fusion::moveConstantsToArena(ModuleOp module,
                                                            StringRef symbol) {
  ConstantArena arena;
  arena.symbol = symbol.str();
  DenseMap<llvm::CachedHashStringRef, uint64_t> offsetOfBytes;
  llvm::StringMap<uint64_t> offsetOfGlobal;
  for (auto global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
    replaceEmptyResource(global);
    FailureOr<ArrayRef<char>> bytes = getRawBytes(global);
    if (failed(bytes))
      return failure();
    if (bytes->empty())
      continue;
    auto [entry, isNew] = offsetOfBytes.try_emplace(
        llvm::CachedHashStringRef(StringRef(bytes->data(), bytes->size())),
        arena.size);
    if (isNew) {
      arena.pieces.push_back(*bytes);
      arena.offsets.push_back(arena.size);
      arena.size = llvm::alignTo(arena.size + bytes->size(), arenaAlignment);
    }
    offsetOfGlobal[global.getSymName()] = entry->second;
    global.erase();
  }
  if (arena.pieces.empty())
    return arena;

  OpBuilder builder(module.getBodyRegion());
  LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), arena.size),
      /*isConstant=*/true, LLVM::Linkage::External, symbol,
      /*value=*/Attribute(), arenaAlignment);
  // global -> getelementptr i8, arena[offset]
  module.walk([&](LLVM::AddressOfOp address) {
    auto offset = offsetOfGlobal.find(address.getGlobalName());
    if (offset == offsetOfGlobal.end())
      return;
    builder.setInsertionPoint(address);
    Value base = LLVM::AddressOfOp::create(builder, address.getLoc(),
                                           address.getType(), symbol);
    Value index = LLVM::ConstantOp::create(
        builder, address.getLoc(), builder.getI64Type(),
        builder.getI64IntegerAttr(offset->second));
    address.replaceAllUsesWith(
        LLVM::GEPOp::create(builder, address.getLoc(), address.getType(),
                            builder.getI8Type(), base, ValueRange{index})
            .getResult());
    address.erase();
  });
  return arena;
}

std::unique_ptr<llvm::Module>
ConstantArena::translate(llvm::LLVMContext &context) const {
  auto module = std::make_unique<llvm::Module>(symbol, context);
  llvm::Type *byte = llvm::Type::getInt8Ty(context);
  SmallVector<llvm::Constant *> fields;
  uint64_t end = 0;
  auto pad = [&](uint64_t offset) {
    if (offset != end)
      fields.push_back(llvm::ConstantAggregateZero::get(
          llvm::ArrayType::get(byte, offset - end)));
  };
  for (auto [bytes, offset] : llvm::zip(pieces, offsets)) {
    pad(offset);
    fields.push_back(llvm::ConstantDataArray::getRaw(
        StringRef(bytes.data(), bytes.size()), bytes.size(), byte));
    end = offset + bytes.size();
  }
  pad(size);
  llvm::Constant *value =
      llvm::ConstantStruct::getAnon(context, fields, /*Packed=*/true);
  auto *global = new llvm::GlobalVariable(
      *module, value->getType(), /*isConstant=*/true,
      llvm::GlobalValue::ExternalLinkage, value, symbol);
  global->setVisibility(llvm::GlobalValue::HiddenVisibility);
  global->setAlignment(llvm::Align(arenaAlignment));
  return module;
}
