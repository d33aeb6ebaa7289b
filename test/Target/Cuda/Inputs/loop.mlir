// As often as the limit says, or until the sum of an element reaches 100.
func.func @main(%x: tensor<8xf32>, %n: tensor<1xi64>) -> (tensor<8xf32>, tensor<20x8xf32>, tensor<i64>) {
  %yes = tiny.constant dense<true> : tensor<i1>
  %limit = tiny.reshape %n : (tensor<1xi64>) -> tensor<i64>
  %most = tiny.constant dense<100.0> : tensor<f32>
  %r:3 = tiny.loop most(20) limit(%limit) while(%yes) carry(%x) : (tensor<i64>, tensor<i1>, tensor<8xf32>) -> (tensor<8xf32>, tensor<20x8xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %h: tensor<8xf32>):
    %sum = tiny.add %h, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %largest = tiny.max %sum axes [0] : (tensor<8xf32>) -> tensor<f32>
    %less = tiny.lt %largest, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tiny.yield %less, %sum, %h : tensor<i1>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<20x8xf32>, tensor<i64>
}
