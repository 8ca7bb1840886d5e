// RUN: mlir-fusion-opt %s -fusion-results-to-out-params -verify-diagnostics

// Only buffers have a place that the caller could give.
// expected-error @below {{expected only memref results of the entry, got 'f32'}}
func.func @main(%x: f32) -> f32 attributes {fusion.entry = {}} {
  return %x : f32
}
