// RUN: tiny-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'kernel.entry' is 4 : i64, expected a #kernel.entry}}
func.func @type() attributes {kernel.entry = 4} {
  return
}

// -----

func.func @place() {
  // expected-error @below {{'kernel.entry' stands on a function, not on 'func.return'}}
  func.return {kernel.entry = #kernel.entry<>}
}

// -----

// expected-error @below {{the kernel dialect has no attribute 'kernel.entrance'}}
func.func @name() attributes {kernel.entrance = #kernel.entry<>} {
  return
}

// -----

// expected-error @below {{a grid has no negative extent, got -1}}
func.func private @grid() attributes {kernel.entry = #kernel.entry<grid = [4, -1, 2]>}

// -----

// expected-error @below {{a workgroup has extents of 1 or more, got 0}}
func.func private @workgroup() attributes {kernel.entry = #kernel.entry<workgroup = [4, 0, 2]>}

// -----

// expected-error @below {{sizes and counts are not negative, got -5}}
func.func private @size() attributes {kernel.entry = #kernel.entry<scratch = -5>}

// -----

// expected-error @+2 {{expected 3 extents, got 2}}
// expected-error @below {{failed to parse}}
func.func private @extents() attributes {kernel.entry = #kernel.entry<grid = [4, 1]>}
