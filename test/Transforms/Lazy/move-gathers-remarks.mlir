// RUN: tiny-opt %s --lazy-move-gathers --check-passes --remarks-filter=lazy-move-gathers --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// Which gathers of computed values move, and why others stay; of look-ups there is nothing to say.

// CHECK-DAG: remark: [Passed] moved {{.*}}Function=moved | Remark="the gather moves: 2 operations for 12 elements of 200"
// CHECK-DAG: remark: [Passed] moved {{.*}}Function=affine | Remark="the gather is a view: no data says what it picks"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=returned | Remark="the gather stays: its base is stored anyway"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=state | Remark="the gather stays: its base is stored anyway"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=reduction | Remark="the gather stays: its base ends a reduction, which is stored with it"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=two_reductions | Remark="the gather stays: more would be stored in place of its base"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=larger | Remark="the gather stays: more would be stored in place of its base"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=again | Remark="the gather stays: too much would be computed again (maxEvaluations)"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=expensive | Remark="the gather stays: computing what it picks costs more than a buffer"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=together | Remark="the gather stays: computing what it picks costs more than a buffer"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=together | Remark="the gather stays: computing what it picks costs more than a buffer"
// CHECK-DAG: remark: [Missed] stays {{.*}}Function=long | Remark="the gather stays: its base is computed by more operations than one gather may move before"

func.func @moved(%x: tensor<50x4xf32>, %i: tensor<3x4xi32>) -> tensor<3x4xf32> {
  %e = math.exp %x : tensor<50x4xf32>
  %f = math.log %e : tensor<50x4xf32>
  %j = lazy.iota 1 : tensor<3x4xi32>
  %0 = lazy.gather %f [%i, %j] : tensor<50x4xf32>, (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @affine(%x: tensor<50xf32>) -> tensor<3xf32> {
  %e = math.exp %x : tensor<50xf32>
  %i = lazy.iota 0 : tensor<3xi32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Of a look-up there is nothing to say.
func.func @lookup(%x: tensor<50xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %0 = lazy.gather %x [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @returned(%x: tensor<50xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<5x10xf32>) {
  %e = math.exp %x : tensor<50xf32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  %1 = lazy.reshape %e : tensor<50xf32> -> tensor<5x10xf32>
  return %0, %1 : tensor<3xf32>, tensor<5x10xf32>
}

// What is assigned to is a buffer.
func.func @state(%x: tensor<50xf32>, %y: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<50xf32>) {
  %e = math.exp %x : tensor<50xf32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  %1 = lazy.assign %y, %e <(3):(1)> : tensor<3xf32>, tensor<50xf32>
  return %0, %1 : tensor<3xf32>, tensor<50xf32>
}

func.func @reduction(%x: tensor<50x8xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<50x8xf32>) -> tensor<50xf32>
  %e = math.exp %s : tensor<50xf32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @two_reductions(%x: tensor<50x8xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<50x8xf32>) -> tensor<50xf32>
  %m = lazy.reduce maximumf (%x) axes [1] : (tensor<50x8xf32>) -> tensor<50xf32>
  %e = arith.divf %s, %m : tensor<50xf32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @larger(%x: tensor<200x8xf32>, %i: tensor<3xi32>) -> (tensor<3xf32>, tensor<f32>) {
  %s = lazy.reduce addf (%x) axes [1] : (tensor<200x8xf32>) -> tensor<200xf32>
  %all = lazy.reduce maximumf (%s) axes [0] : (tensor<200xf32>) -> tensor<f32>
  %part = lazy.shrink %s begin [0] end [50] : tensor<200xf32> -> tensor<50xf32>
  %e = math.exp %part : tensor<50xf32>
  %0 = lazy.gather %e [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %0, %all : tensor<3xf32>, tensor<f32>
}

// Four operations for each of a thousand elements, for four elements of them.
func.func @again(%x: tensor<4xf32>, %i: tensor<1000xi32>) -> tensor<1000xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = math.log %0 : tensor<4xf32>
  %2 = math.sqrt %1 : tensor<4xf32>
  %3 = math.absf %2 : tensor<4xf32>
  %4 = lazy.gather %3 [%i] : tensor<4xf32>, (tensor<1000xi32>) -> tensor<1000xf32>
  return %4 : tensor<1000xf32>
}

func.func @expensive(%x: tensor<1000xf32>, %i: tensor<20000xi32>) -> tensor<20000xf32> {
  %e = math.exp %x : tensor<1000xf32>
  %f = math.exp %e : tensor<1000xf32>
  %0 = math.exp %f : tensor<1000xf32>
  %1 = lazy.gather %0 [%i] : tensor<1000xf32>, (tensor<20000xi32>) -> tensor<20000xf32>
  return %1 : tensor<20000xf32>
}

// Both or none: what one of them reads is stored for the other.
func.func @together(%x: tensor<1000xf32>, %i: tensor<20000xi32>, %k: tensor<3xi32>) -> (tensor<20000xf32>, tensor<3xf32>) {
  %e = math.exp %x : tensor<1000xf32>
  %f = math.exp %e : tensor<1000xf32>
  %0 = math.exp %f : tensor<1000xf32>
  %1 = lazy.gather %0 [%i] : tensor<1000xf32>, (tensor<20000xi32>) -> tensor<20000xf32>
  %2 = lazy.gather %0 [%k] : tensor<1000xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %1, %2 : tensor<20000xf32>, tensor<3xf32>
}

func.func @long(%x: tensor<50xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %0 = math.absf %x : tensor<50xf32>
  %1 = math.absf %0 : tensor<50xf32>
  %2 = math.absf %1 : tensor<50xf32>
  %3 = math.absf %2 : tensor<50xf32>
  %4 = math.absf %3 : tensor<50xf32>
  %5 = math.absf %4 : tensor<50xf32>
  %6 = math.absf %5 : tensor<50xf32>
  %7 = math.absf %6 : tensor<50xf32>
  %8 = math.absf %7 : tensor<50xf32>
  %9 = math.absf %8 : tensor<50xf32>
  %10 = math.absf %9 : tensor<50xf32>
  %11 = math.absf %10 : tensor<50xf32>
  %12 = math.absf %11 : tensor<50xf32>
  %13 = math.absf %12 : tensor<50xf32>
  %14 = math.absf %13 : tensor<50xf32>
  %15 = math.absf %14 : tensor<50xf32>
  %16 = math.absf %15 : tensor<50xf32>
  %17 = math.absf %16 : tensor<50xf32>
  %18 = math.absf %17 : tensor<50xf32>
  %19 = math.absf %18 : tensor<50xf32>
  %20 = math.absf %19 : tensor<50xf32>
  %21 = math.absf %20 : tensor<50xf32>
  %22 = math.absf %21 : tensor<50xf32>
  %23 = math.absf %22 : tensor<50xf32>
  %24 = math.absf %23 : tensor<50xf32>
  %25 = math.absf %24 : tensor<50xf32>
  %26 = math.absf %25 : tensor<50xf32>
  %27 = math.absf %26 : tensor<50xf32>
  %28 = math.absf %27 : tensor<50xf32>
  %29 = math.absf %28 : tensor<50xf32>
  %30 = math.absf %29 : tensor<50xf32>
  %31 = math.absf %30 : tensor<50xf32>
  %32 = math.absf %31 : tensor<50xf32>
  %33 = math.absf %32 : tensor<50xf32>
  %34 = math.absf %33 : tensor<50xf32>
  %35 = math.absf %34 : tensor<50xf32>
  %36 = math.absf %35 : tensor<50xf32>
  %37 = math.absf %36 : tensor<50xf32>
  %38 = math.absf %37 : tensor<50xf32>
  %39 = math.absf %38 : tensor<50xf32>
  %40 = math.absf %39 : tensor<50xf32>
  %41 = math.absf %40 : tensor<50xf32>
  %42 = math.absf %41 : tensor<50xf32>
  %43 = math.absf %42 : tensor<50xf32>
  %44 = math.absf %43 : tensor<50xf32>
  %45 = math.absf %44 : tensor<50xf32>
  %46 = math.absf %45 : tensor<50xf32>
  %47 = math.absf %46 : tensor<50xf32>
  %48 = math.absf %47 : tensor<50xf32>
  %49 = math.absf %48 : tensor<50xf32>
  %50 = math.absf %49 : tensor<50xf32>
  %51 = math.absf %50 : tensor<50xf32>
  %52 = math.absf %51 : tensor<50xf32>
  %53 = math.absf %52 : tensor<50xf32>
  %54 = math.absf %53 : tensor<50xf32>
  %55 = math.absf %54 : tensor<50xf32>
  %56 = math.absf %55 : tensor<50xf32>
  %57 = math.absf %56 : tensor<50xf32>
  %58 = math.absf %57 : tensor<50xf32>
  %59 = math.absf %58 : tensor<50xf32>
  %60 = math.absf %59 : tensor<50xf32>
  %61 = math.absf %60 : tensor<50xf32>
  %62 = math.absf %61 : tensor<50xf32>
  %63 = math.absf %62 : tensor<50xf32>
  %picked = lazy.gather %63 [%i] : tensor<50xf32>, (tensor<3xi32>) -> tensor<3xf32>
  return %picked : tensor<3xf32>
}
