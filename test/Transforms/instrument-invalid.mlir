// RUN: mlir-fusion-opt %s --fusion-instrument -split-input-file -verify-diagnostics

// expected-error @below {{expected no function 'fusion_profile_end': profiles need this name}}
func.func private @fusion_profile_end(i64)
func.func @taken() attributes {fusion.entry = {}} {
  return
}

// -----

// expected-error @below {{expected a function with the attribute fusion.entry (see fusion-record-entry), got none}}
module {
  func.func @unrecorded() {
    return
  }
}
