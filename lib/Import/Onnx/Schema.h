// The published protobuf schema, in the one configuration that its packaged library is built in.
#ifndef TINY_LIB_IMPORT_ONNX_SCHEMA_H
#define TINY_LIB_IMPORT_ONNX_SCHEMA_H

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

#endif // TINY_LIB_IMPORT_ONNX_SCHEMA_H
