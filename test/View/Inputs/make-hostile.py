# A program whose names are HTML and scripts.
print('''func.func @"<img src=x onerror=window.broken=1>"(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tiny.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("<script>window.broken = 1</script>")
  %s = tiny.softmax %r axis -1 : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("</script><b>\\\\22bold")
  return %s : tensor<4x8xf32>
}'''.replace("\\\\22", "\\22"))
