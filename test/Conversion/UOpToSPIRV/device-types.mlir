// What a device lacks is only moved: f16 as integers of 16 bits, an integer of 64 bits as two words.
// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv | FileCheck %s --implicit-check-not=': f16' --implicit-check-not=': i64'

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"vulkan" = #target.record<gpu "scarce",
    types = [f32, i32, i16, i8], subgroup = 8, workgroup = 64, cores = 1>>} {
// CHECK: requires #spirv.vce<v1.5, [Shader, Int16, StorageBuffer16BitAccess], []>
// CHECK: spirv.GlobalVariable @halves_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i16, stride=2> [0]), Block>, StorageBuffer>
// CHECK-LABEL: spirv.func @halves
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : i16
// CHECK: %[[Y:.*]] = spirv.Select %{{.*}}, %[[X]], %{{.*}} : i1, i16
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[Y]] : i16
uop.func @halves(%x: memref<4xf16>, %y: memref<4xf16>) {
  %i = uop.special global dim(0) extent(4)
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f16
  %isLess = arith.cmpi slt, %i, %c2 : index
  %v = uop.load %x[%i] : memref<4xf16>, f16
  %w = arith.select %isLess, %v, %one : f16
  uop.store %w, %y[%i] : f16, memref<4xf16>
  uop.return
}

// CHECK: spirv.GlobalVariable @words_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<2xi32>, stride=8> [0]), Block>, StorageBuffer>
// CHECK-LABEL: spirv.func @words
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : vector<2xi32>
// CHECK: %[[LOW:.*]] = spirv.CompositeExtract %[[X]][0 : i32] : vector<2xi32>
// CHECK: %[[BOTH:.*]] = spirv.CompositeConstruct %[[LOW]], %{{.*}} : (i32, i32) -> vector<2xi32>
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[BOTH]] : vector<2xi32>
uop.func @words(%x: memref<4xi64>, %y: memref<4xi64>) {
  %i = uop.special global dim(0) extent(4)
  %zero = arith.constant 0 : i32
  %v = uop.load %x[%i] : memref<4xi64>, vector<1xi64>
  %both = vector.bitcast %v : vector<1xi64> to vector<2xi32>
  %low = vector.extract %both[0] : i32 from vector<2xi32>
  %other = vector.from_elements %low, %zero : vector<2xi32>
  %w = vector.bitcast %other : vector<2xi32> to vector<1xi64>
  uop.store %w, %y[%i] : vector<1xi64>, memref<4xi64>
  uop.return
}
}
