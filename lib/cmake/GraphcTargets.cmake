# How the layers become libraries. A layer is a folder lib/NAME with a CMakeLists.txt of one line; its sources are the
# folder's *.cpp. Layers are object libraries; lib/CMakeLists.txt makes the shared libraries of them.

# What every layer of the light half is compiled with: the standard library, Abseil and the data packages; no LLVM.
# Headers are named from two roots: "graphc/Tensor.h" (public) and "Graph/Hash.h" (private, other layers').
add_library(graphc_light_usage INTERFACE)
target_include_directories(graphc_light_usage INTERFACE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/lib")
target_link_libraries(graphc_light_usage INTERFACE
  absl::status absl::statusor absl::span absl::strings absl::str_format absl::flat_hash_map absl::flat_hash_set
  absl::inlined_vector absl::hash absl::synchronization
  dlpack::dlpack graphc_xxhash Threads::Threads ${CMAKE_DL_LIBS})

# What every layer of the compiler half is compiled with: the same and MLIR.
separate_arguments(llvmDefinitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
add_library(graphc_compiler_usage INTERFACE)
target_link_libraries(graphc_compiler_usage INTERFACE graphc_light_usage)
target_include_directories(graphc_compiler_usage SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
target_compile_definitions(graphc_compiler_usage INTERFACE ${llvmDefinitions})
target_compile_options(graphc_compiler_usage INTERFACE -fno-exceptions)

set(GRAPHC_LIGHT_LAYERS "" CACHE INTERNAL "")
set(GRAPHC_COMPILER_LAYERS "" CACHE INTERNAL "")

# graphc_light_library(NAME [EXTRA_SOURCES...]): the folder's *.cpp as object library GraphcNAME; nothing when empty.
function(graphc_light_library name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(APPEND sources ${ARGN})
  if(NOT sources)
    return()
  endif()
  add_library(Graphc${name} OBJECT ${sources})
  target_link_libraries(Graphc${name} PUBLIC graphc_light_usage)
  if(GRAPHC_LIGHT_PCH)
    graphc_light_pch(Graphc${name})
  endif()
  set(GRAPHC_LIGHT_LAYERS ${GRAPHC_LIGHT_LAYERS} Graphc${name} CACHE INTERNAL "")
endfunction()

# One precompiled header for the light half halves the time of building it all. Builds for developers have none: there
# a header that a file forgets to include is found.
function(graphc_light_pch target)
  if(NOT TARGET graphc_light_pch_made)
    file(WRITE "${PROJECT_BINARY_DIR}/graphc_light_pch.cpp" "// Carries the precompiled header.\n")
    add_library(graphc_light_pch_made OBJECT "${PROJECT_BINARY_DIR}/graphc_light_pch.cpp")
    target_link_libraries(graphc_light_pch_made PUBLIC graphc_light_usage)
    target_precompile_headers(graphc_light_pch_made PRIVATE "${PROJECT_SOURCE_DIR}/lib/cmake/LightPrecompiled.h")
    target_compile_options(graphc_light_pch_made PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${target} REUSE_FROM graphc_light_pch_made)
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# graphc_compiler_library(NAME [EXTRA_SOURCES...]): the same for the compiler half, with the precompiled header.
function(graphc_compiler_library name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(APPEND sources ${ARGN})
  if(NOT sources)
    return()
  endif()
  add_library(Graphc${name} OBJECT ${sources})
  graphc_use_mlir(Graphc${name})
  set_target_properties(Graphc${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set(GRAPHC_COMPILER_LAYERS ${GRAPHC_COMPILER_LAYERS} Graphc${name} CACHE INTERNAL "")
endfunction()

# One precompiled header for all code that includes MLIR: made once (half a minute), it saves seconds in each file.
function(graphc_use_mlir target)
  target_link_libraries(${target} PUBLIC graphc_compiler_usage)
  if(NOT TARGET graphc_mlir_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/graphc_mlir_pch.cpp" "// Carries the precompiled header.\n")
    add_library(graphc_mlir_pch OBJECT "${PROJECT_BINARY_DIR}/graphc_mlir_pch.cpp")
    target_link_libraries(graphc_mlir_pch PUBLIC graphc_compiler_usage)
    target_precompile_headers(graphc_mlir_pch PRIVATE "${PROJECT_SOURCE_DIR}/lib/cmake/MLIRPrecompiled.h")
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      # Without the time in the header, ccache can keep it and what is compiled with it.
      target_compile_options(graphc_mlir_pch PUBLIC "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    set_target_properties(graphc_mlir_pch PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_precompile_headers(${target} REUSE_FROM graphc_mlir_pch)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# graphc_program(TARGET FOLDER [LIBRARIES...]): a program from tools/FOLDER/*.cpp; nothing while the folder has none.
function(graphc_program target folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  if(sources)
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE ${ARGN})
    # What libgraphc loads when it is wanted.
    foreach(loaded graphc-compiler graphc-onnx graphc-zip graphc-lapack graphc-special)
      if(TARGET ${loaded})
        add_dependencies(${target} ${loaded})
      endif()
    endforeach()
  endif()
endfunction()

# graphc_tool(TARGET NAME [LIBRARIES...]): the same for a program that is installed, as NAME.
function(graphc_tool target name)
  graphc_program(${target} ${name} ${ARGN})
  if(TARGET ${target})
    file(RELATIVE_PATH toLibraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    # The same where it is built: CMake makes room for another one by empty entries, which stand for the current folder.
    set(folders "$ORIGIN/${toLibraries}" "$ORIGIN/../lib")
    list(REMOVE_DUPLICATES folders)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} INSTALL_RPATH "${folders}" BUILD_WITH_INSTALL_RPATH ON)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endfunction()
