// RUN: tiny-opt %s -split-input-file -verify-diagnostics --uop-describe-entry

uop.func @extents(%out: memref<4xf32>) {
  // expected-note @below {{the same axis is here}}
  %i = uop.special global dim(0) extent(4)
  // expected-error @below {{has extent 5, expected 4}}
  %j = uop.special global dim(0) extent(5)
  uop.return
}

// -----

uop.func @lanes(%out: memref<4xf32>) {
  // expected-note @below {{the same axis is here}}
  %i = uop.special local dim(2) extent(4)
  // expected-error @below {{has extent 5, expected 4}}
  %j = uop.special local dim(2) extent(5)
  uop.return
}

// -----

uop.func @axes(%out: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %j = uop.special global dim(1) extent(4)
  %k = uop.special thread dim(0) extent(4)
  // expected-error @below {{finds no free grid axis: there are three}}
  %l = uop.special thread dim(1) extent(4)
  uop.return
}

// -----

// expected-error @below {{has tiles of 2^62 bytes or more together}}
uop.func @tiles() {
  %a = uop.local : memref<1152921504606846975xf32>
  %b = uop.local : memref<1152921504606846975xf32>
  uop.return
}

// -----

uop.func @elements() {
  // expected-error @below {{has elements of type 'vector<4xf32>', which have no size in memory}}
  %a = uop.local : memref<8xvector<4xf32>>
  uop.return
}
