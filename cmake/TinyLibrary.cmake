# tiny_room(TARGET [FOLDER]): what links a library sees its headers, and no others. FOLDER, below include/Tiny, is where
# they are; it is the library's own folder below lib/ unless given. The include path is a folder of links: to the
# headers of FOLDER and to those of its folders that are no libraries of their own.
function(tiny_room target)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARGC GREATER 1)
    set(folder ${ARGV1})
  endif()
  set(sources ${PROJECT_SOURCE_DIR}/include/Tiny/${folder})
  set(view ${PROJECT_BINARY_DIR}/rooms/${target})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view}/written/Tiny/${folder})
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE ${sources} ${sources}/*)
  foreach(entry ${entries})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/lib/${folder}/${entry}/CMakeLists.txt AND NOT entry STREQUAL CMakeLists.txt)
      file(CREATE_LINK ${sources}/${entry} ${view}/written/Tiny/${folder}/${entry} SYMBOLIC)
    endif()
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${view}/written>)
  file(GLOB_RECURSE tables ${sources}/*.td)
  if(tables)
    get_filename_component(parent generated/Tiny/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${view}/${parent} ${PROJECT_BINARY_DIR}/include/Tiny/${folder})
    file(CREATE_LINK ${PROJECT_BINARY_DIR}/include/Tiny/${folder} ${view}/generated/Tiny/${folder} SYMBOLIC)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${view}/generated>)
    # Compilers name these files by the link: what is generated anew must be new under that name, too.
    get_property(files GLOBAL PROPERTY TINY_GENERATED)
    foreach(file ${files})
      if(file MATCHES "^${folder}/")
        add_custom_command(OUTPUT ${view}/generated/Tiny/${file} DEPENDS ${PROJECT_BINARY_DIR}/include/Tiny/${file}
                           COMMAND ${CMAKE_COMMAND} -E true)
        list(APPEND linked ${view}/generated/Tiny/${file})
      endif()
    endforeach()
    add_custom_target(${target}-generated DEPENDS ${linked})
    add_dependencies(${target}-generated tiny-headers)
    add_dependencies(tiny-rooms ${target}-generated)
  endif()
endfunction()

# tiny_add_library(NAME sources... LINK libraries... [HEADERS folder]): a compiler library on the shared precompiled
# header. It sees the headers of the libraries that it links (see tiny_room).
function(tiny_add_library name)
  cmake_parse_arguments(arg "" "HEADERS" "LINK" ${ARGN})
  add_library(${name} ${arg_UNPARSED_ARGUMENTS})
  tiny_room(${name} ${arg_HEADERS})
  target_link_libraries(${name} PUBLIC ${arg_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  add_dependencies(${name} tiny-rooms)
  set_property(GLOBAL APPEND PROPERTY TINY_LIBRARIES ${name})
endfunction()

# tiny_add_tool(NAME sources... LINK libraries...): a tool, in bin/.
function(tiny_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  add_dependencies(${name} tiny-rooms)
endfunction()

# tiny_load_plugins(TOOL): the tool has and exports all of the libraries that it links, so that a plugin finds Tiny's
# classes there, where libraries are static, too. (A plugin with libraries of its own would have each class twice.)
function(tiny_load_plugins tool)
  get_property(libraries GLOBAL PROPERTY TINY_LIBRARIES)
  string(REPLACE ";" "," libraries "${libraries}")
  set_target_properties(${tool} PROPERTIES ENABLE_EXPORTS ON LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${libraries}")
endfunction()

# tiny_add_plugin(NAME sources... LINK libraries...): lib/NAME.so for `tiny-opt --load-pass-plugin`. It sees the headers of
# the libraries; their code is the tool's.
function(tiny_add_plugin name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_library(${name} MODULE ${arg_UNPARSED_ARGUMENTS})
  foreach(library ${arg_LINK})
    target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM TinyPrelude)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(${name} tiny-rooms)
endfunction()

# tiny_tablegen(FILE.td OUT KIND...): runs mlir-tblgen on one file; each KIND is "suffix|-flag ...".
function(tiny_tablegen td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  foreach(rule ${ARGN})
    string(REPLACE "|" ";" rule "${rule}")
    list(POP_FRONT rule out)
    mlir_tablegen(${out} ${rule})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/include/Tiny ${CMAKE_CURRENT_SOURCE_DIR})
    set_property(GLOBAL APPEND PROPERTY TINY_GENERATED ${folder}/${out})
  endforeach()
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_BINARY_DIR}/${td}" id)
  add_custom_target(tablegen_${id} DEPENDS ${TABLEGEN_OUTPUT})
  add_dependencies(tiny-headers tablegen_${id})
endfunction()

# tiny_tablegen_dialect(STEM namespace): STEMOps.td to the usual files.
function(tiny_tablegen_dialect stem dialect)
  set(types)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}Types.td)
    set(types "${stem}Types.h.inc|-gen-typedef-decls|-typedefs-dialect=${dialect}"
      "${stem}Types.cpp.inc|-gen-typedef-defs|-typedefs-dialect=${dialect}")
  endif()
  tiny_tablegen(${stem}Ops.td ${types}
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
  add_dependencies(${name} tiny-rooms)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_property(GLOBAL APPEND PROPERTY TINY_UNITTESTS ${name})
endfunction()
