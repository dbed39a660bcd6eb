# The rooms up to the models and their unit tests, without the rest of the program (-D ATTUNE_ENGINE_TESTS=ON): what shows in minutes
# whether the engine works on another kind of CPU (preset arm64) or with other libraries.
find_package(GTest REQUIRED)
set(rooms base config text io vectors tensor ops nn models testing)
list(TRANSFORM rooms REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.cpp")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${rooms})
list(FILTER sources EXCLUDE REGEX "${attune_not_compiled}")
add_executable(attune_engine_tests ${sources})
target_include_directories(attune_engine_tests PRIVATE src include)
target_link_libraries(attune_engine_tests PRIVATE attune_flags attune_libraries GTest::gtest_main)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/testing/golden.cpp PROPERTIES COMPILE_DEFINITIONS
                            ATTUNE_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden" SKIP_PRECOMPILE_HEADERS ON)
target_precompile_headers(attune_engine_tests PRIVATE <algorithm> <fmt/format.h> <functional> <gtest/gtest.h> <map> <memory> <span>
                                                      <string> <vector>)
