//===-- FusionEnums.td - Enum attributes of the fusion dialect -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSION_ENUMS
#define FUSION_ENUMS

include "FusionDialect/Dialect/FusionDialect.td"
include "mlir/IR/EnumAttr.td"

class Fusion_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::fusion";
  let genSpecializedAttr = 0;
}

def Fusion_ImageLayoutEnum : Fusion_Enum<"ImageLayout", "order of an image's dims", [
  I32EnumAttrCase<"ChannelsFirst", 0, "channels_first">,
  I32EnumAttrCase<"ChannelsLast", 1, "channels_last">]>;
def Fusion_ImageLayoutAttr : EnumAttr<Fusion_Dialect, Fusion_ImageLayoutEnum, "image_layout">;

def Fusion_FilterLayoutEnum : Fusion_Enum<"FilterLayout", "order of a filter's dims", [
  I32EnumAttrCase<"OutInSpatial", 0, "out_in_spatial">,
  I32EnumAttrCase<"SpatialInOut", 1, "spatial_in_out">,
  I32EnumAttrCase<"OutSpatialIn", 2, "out_spatial_in">,
  I32EnumAttrCase<"Packed", 3, "packed">]>;
def Fusion_FilterLayoutAttr : EnumAttr<Fusion_Dialect, Fusion_FilterLayoutEnum, "filter_layout">;

def Fusion_MatrixLayoutEnum : Fusion_Enum<"MatrixLayout", "order of a matrix's elements", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"Packed", 1, "packed">]>;
def Fusion_MatrixLayoutAttr : EnumAttr<Fusion_Dialect, Fusion_MatrixLayoutEnum, "matrix_layout">;

def Fusion_PoolKindEnum : Fusion_Enum<"PoolKind", "what a window becomes", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Average", 2, "average">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"MaxUnsigned", 4, "max_unsigned">,
  I32EnumAttrCase<"MinUnsigned", 5, "min_unsigned">]>;
def Fusion_PoolKindAttr : EnumAttr<Fusion_Dialect, Fusion_PoolKindEnum, "pool_kind">;

def Fusion_AlgorithmEnum : Fusion_Enum<"Algorithm", "how a root is computed", [
  I32EnumAttrCase<"Direct", 0, "direct">]>;
def Fusion_AlgorithmAttr : EnumAttr<Fusion_Dialect, Fusion_AlgorithmEnum, "algorithm">;

#endif // FUSION_ENUMS
