# `cmake --install` gives the program, the headers, and a library for find_package(attune).
# docs/decisions/0003-install.md says why it is an archive that is linked as a whole.
include(CMakePackageConfigHelpers)

add_library(attune_archive STATIC $<TARGET_OBJECTS:attune_objects>)
target_link_libraries(attune_archive PUBLIC DNNL::dnnl PkgConfig::hwy fmt::fmt yaml-cpp
                                            PkgConfig::sentencepiece ZLIB::ZLIB LibLZMA::LibLZMA PkgConfig::zstd
                                            EXPAT::EXPAT ICU::uc PNG::PNG PkgConfig::turbojpeg OpenMP::OpenMP_CXX)
target_compile_features(attune_archive PUBLIC cxx_std_20)
set_target_properties(attune_archive PROPERTIES OUTPUT_NAME attune EXPORT_NAME archive)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attune)
install(TARGETS attune)
install(TARGETS attune_archive EXPORT attune INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/attune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT attune NAMESPACE attune:: FILE attuneTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/attuneConfig.cmake.in attuneConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(attuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attuneConfig.cmake ${PROJECT_BINARY_DIR}/attuneConfigVersion.cmake
        DESTINATION ${package_dir})
