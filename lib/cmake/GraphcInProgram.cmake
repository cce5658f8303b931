# The light half within a program, instead of libgraphc: for the command graphc, which is often over sooner than the
# dynamic linker would be with Abseil's forty libraries. The program exports its symbols, and has libgraphc's name for
# the dynamic linker (soname): the compiler half and the readers, when it loads them, are linked with the program, and
# libgraphc is not loaded. And it has the build id of that library: code that one of them keeps is the other's, too.
#
# GRAPHC_IN_PROGRAM is what to link instead of libgraphc; it is libgraphc where that cannot be: where Abseil has no
# archives, and with sanitizers, which do not want to see anything twice.

# The archives of the libraries behind Abseil's targets and of all that they need; nothing where one has none.
function(graphc_abseil_archives result)
  set(waiting ${ARGN})
  set(seen "")
  set(archives "")
  set("${result}" "" PARENT_SCOPE)
  while(waiting)
    list(POP_FRONT waiting target)
    if(NOT target MATCHES "^absl::" OR target IN_LIST seen OR NOT TARGET ${target})
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
    if(needs)
      list(APPEND waiting ${needs})
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
      continue()
    endif()
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    list(GET configurations 0 configuration)
    get_target_property(file ${target} IMPORTED_LOCATION_${configuration})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${file}")
    if(NOT archive MATCHES "\\.a$" OR NOT EXISTS "${archive}")
      return()
    endif()
    list(APPEND archives "${archive}")
  endwhile()
  set("${result}" "${archives}" PARENT_SCOPE)
endfunction()

set(GRAPHC_IN_PROGRAM graphc graphc_light_usage)
set(archives "")
if(NOT GRAPHC_SANITIZE)
  get_target_property(lightUsage graphc_light_usage INTERFACE_LINK_LIBRARIES)
  graphc_abseil_archives(archives ${lightUsage})
endif()
if(archives)
  set(GRAPHC_IN_PROGRAM graphc_in_program)
  set(buildId "${PROJECT_BINARY_DIR}/lib/graphc-build-id")
  add_custom_command(OUTPUT "${buildId}" DEPENDS graphc "${PROJECT_SOURCE_DIR}/tools/build-id"
    COMMAND sh -c "echo -Wl,--build-id=0x$(\"$1\" \"$2\") >\"$3\"" sh
      "${PROJECT_SOURCE_DIR}/tools/build-id" "$<TARGET_FILE:graphc>" "${buildId}"
    VERBATIM)
  add_custom_target(graphc_build_id DEPENDS "${buildId}")
  add_library(graphc_in_program INTERFACE)
  add_dependencies(graphc_in_program graphc_build_id)
  foreach(layer IN LISTS GRAPHC_LIGHT_LAYERS)
    target_sources(graphc_in_program INTERFACE $<TARGET_OBJECTS:${layer}>)
  endforeach()
  list(JOIN archives "," archiveList)
  target_include_directories(graphc_in_program INTERFACE
    $<TARGET_PROPERTY:graphc_light_usage,INTERFACE_INCLUDE_DIRECTORIES>)
  list(FILTER lightUsage EXCLUDE REGEX "^absl::")
  target_link_libraries(graphc_in_program INTERFACE "$<LINK_GROUP:RESCAN,${archiveList}>" ${lightUsage})
  target_link_options(graphc_in_program INTERFACE -pie -Wl,--export-dynamic
    "-Wl,-soname,$<TARGET_SONAME_FILE_NAME:graphc>" "@${buildId}")
  set_property(TARGET graphc_in_program PROPERTY INTERFACE_LINK_DEPENDS "${buildId}")
endif()
