# tiny_add_library(NAME sources... LINK libraries...): a compiler library on the shared precompiled header.
function(tiny_add_library name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_library(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${arg_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  add_dependencies(${name} tiny-headers)
endfunction()

# tiny_add_tool(NAME sources... LINK libraries...): a tool, in bin/.
function(tiny_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  add_dependencies(${name} tiny-headers)
endfunction()

# tiny_tablegen(FILE.td OUT KIND...): runs mlir-tblgen on one file; each KIND is "suffix|-flag ...".
function(tiny_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(rule ${ARGN})
    string(REPLACE "|" ";" rule "${rule}")
    list(POP_FRONT rule out)
    mlir_tablegen(${out} ${rule})
  endforeach()
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_BINARY_DIR}/${td}" id)
  add_custom_target(tablegen_${id} DEPENDS ${TABLEGEN_OUTPUT})
  add_dependencies(tiny-headers tablegen_${id})
endfunction()

# tiny_tablegen_dialect(STEM namespace): STEMOps.td to the usual files.
function(tiny_tablegen_dialect stem dialect)
  tiny_tablegen(${stem}Ops.td
    "${stem}Ops.h.inc|-gen-op-decls|-dialect=${dialect}" "${stem}Ops.cpp.inc|-gen-op-defs|-dialect=${dialect}"
    "${stem}Dialect.h.inc|-gen-dialect-decls|-dialect=${dialect}" "${stem}Dialect.cpp.inc|-gen-dialect-defs|-dialect=${dialect}"
    "${stem}Attrs.h.inc|-gen-attrdef-decls|-attrdefs-dialect=${dialect}" "${stem}Attrs.cpp.inc|-gen-attrdef-defs|-attrdefs-dialect=${dialect}")
  # Enums stand in a file of their own: the generator writes every enum it sees, upstream's included.
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}Enums.td)
    tiny_tablegen(${stem}Enums.td "${stem}Enums.h.inc|-gen-enum-decls" "${stem}Enums.cpp.inc|-gen-enum-defs")
  endif()
endfunction()

# tiny_tablegen_passes(Group): Passes.td to declarations, registered as registerGroupPasses().
function(tiny_tablegen_passes group)
  tiny_tablegen(Passes.td "Passes.h.inc|-gen-pass-decls|-name=${group}")
endfunction()

# tiny_add_unittest(NAME sources... LINK libraries...): a GoogleTest program in unittests/, run by lit.
function(tiny_add_unittest name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} MLIR LLVM GTest::gtest GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  add_dependencies(${name} tiny-headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_property(GLOBAL APPEND PROPERTY TINY_UNITTESTS ${name})
endfunction()
