// RUN: tiny-opt %s -split-input-file -verify-diagnostics -o /dev/null

func.func @range_of_c1(%x: index) -> index {
  // expected-error @below {{'sym.range_of' op lower bound 4 is above upper bound 3}}
  %0 = sym.range_of %x [4, 3] : index
  return %0 : index
}

// -----

func.func @range_of_c2(%x: i8) -> i8 {
  // expected-error @below {{'sym.range_of' op bound 128 does not fit 'i8'}}
  %0 = sym.range_of %x [0, 128] : i8
  return %0 : i8
}

// -----

func.func @range_of_c2_lower(%x: i8) -> i8 {
  // expected-error @below {{'sym.range_of' op bound -129 does not fit 'i8'}}
  %0 = sym.range_of %x [-129, 0] : i8
  return %0 : i8
}

// -----

func.func @range_of_c1_float(%x: f32) -> f32 {
  // expected-error @below {{'sym.range_of' op lower bound 1.000000e+00 : f64 is not below upper bound 0.000000e+00 : f64}}
  %0 = sym.range_of %x [1.0, 0.0] : f32
  return %0 : f32
}

// -----

func.func @range_of_c3_float(%x: f32) -> f32 {
  // expected-error @below {{'sym.range_of' op bound 0 : i64 is no float, as 'f32' is}}
  %0 = sym.range_of %x [0, 1.0] : f32
  return %0 : f32
}

// -----

func.func @range_of_c3_integer(%x: index) -> index {
  // expected-error @below {{'sym.range_of' op bound 1.500000e+00 : f64 is no integer, as 'index' is}}
  %0 = sym.range_of %x [0, 1.5] : index
  return %0 : index
}

// -----

func.func @range_of_c2_index(%x: index) -> index {
  // expected-error @below {{'sym.range_of' op bound 9223372036854775804 does not fit 'index', which stays below 2^62}}
  %0 = sym.range_of %x [9223372036854775804, 9223372036854775807] : index
  return %0 : index
}
