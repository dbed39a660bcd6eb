# The program of a first look (-D ATTUNE_FIRST_LOOK=ON, preset first-look): what `./run demo` builds where no attune was built yet.
# It has the rooms that a few verbs need, kernels for the CPU of this machine alone, and elsewhere only the optimisation that does not
# cost more time than it saves in a demo. docs/decisions/0021-compile-time.md has the figures.
set(verbs demo train translate attend)
set(rooms base ranks config text io vectors tensor ops nn models metrics view decode look folder train demo cli)

list(TRANSFORM rooms REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.cpp")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${rooms})
list(FILTER sources EXCLUDE REGEX "_(test|cases)\\.cpp$|/mpi_ranks\\.cpp$|/cli/(verbs|manual)/|${attune_not_compiled}")
foreach(verb ${verbs})
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/cli/verbs/${verb}.cpp)
endforeach()

include(cmake/attune_web.cmake)
set(page_source ${PROJECT_SOURCE_DIR}/src/view/embedded.cpp)
if(ATTUNE_WEB)
  set_source_files_properties(${page_source} PROPERTIES COMPILE_DEFINITIONS ATTUNE_PAGE="${attune_page}" OBJECT_DEPENDS ${attune_page})
endif()

# Sources are compiled in groups, since much of the time goes to headers that all of them include. Kernels stay alone, and are
# optimised as in a release.
set(groups ${PROJECT_BINARY_DIR}/groups)
set(alone ${page_source})
foreach(source ${sources})
  file(STRINGS ${source} kernel REGEX "foreach_target\\.h")
  if(kernel)
    list(APPEND alone ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O3 SKIP_PRECOMPILE_HEADERS ON)
  endif()
endforeach()
list(REMOVE_ITEM sources ${alone})
string(REPLACE ";" "\n" lines "${sources}")
file(WRITE ${groups}.txt "${lines}")
execute_process(COMMAND scripts/unity_groups ${groups} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} INPUT_FILE ${groups}.txt
                OUTPUT_VARIABLE grouped COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" grouped "${grouped}")
# An edit may bring a name that another source of the group has.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} scripts/unity_groups)

add_executable(attune ${grouped} ${alone})
target_include_directories(attune PRIVATE src include)
target_link_libraries(attune PRIVATE attune_flags attune_libraries CLI11::CLI11)
target_compile_options(attune PRIVATE -O1 -march=native -w)  # a release build warns
target_compile_definitions(
  attune PRIVATE HWY_COMPILE_ONLY_STATIC ATTUNE_FIRST_LOOK ATTUNE_BUILD="for a first look" ATTUNE_VERSION="${PROJECT_VERSION}"
                 ATTUNE_SERIES="${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
                 ATTUNE_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
target_precompile_headers(attune PRIVATE <algorithm> <charconv> <chrono> <cmath> <filesystem> <fmt/format.h> <fmt/ranges.h>
                                         <functional> <map> <memory> <mutex> <numeric> <optional> <span> <string> <vector>)
