# `cmake --install` gives the program with its manual pages and completions, the headers, a library for
# find_package(attune), and the Python module; `cpack` makes a package of each (`./run package`).
# docs/decisions/0003-install.md says why the library is an archive that is linked as a whole.
include(CMakePackageConfigHelpers)

add_library(attune_archive STATIC $<TARGET_OBJECTS:attune_objects>)
target_link_libraries(attune_archive PUBLIC ${attune_onednn} PkgConfig::hwy fmt::fmt yaml-cpp
                                            PkgConfig::sentencepiece ZLIB::ZLIB LibLZMA::LibLZMA PkgConfig::zstd
                                            EXPAT::EXPAT ICU::uc PNG::PNG PkgConfig::turbojpeg OpenMP::OpenMP_CXX)
target_compile_features(attune_archive PUBLIC cxx_std_20)
set_target_properties(attune_archive PROPERTIES OUTPUT_NAME attune EXPORT_NAME archive)

# What the program tells of itself.
set(told ${PROJECT_BINARY_DIR}/told)
add_custom_command(
  OUTPUT ${told}/man1/attune.1.gz
  COMMAND attune manual --folder ${told}/man1
  COMMAND sh -c "gzip -9nf ${told}/man1/*.1"
  COMMAND attune completion bash > ${told}/attune
  COMMAND attune completion zsh > ${told}/_attune
  COMMAND attune completion fish > ${told}/attune.fish
  DEPENDS attune
  COMMENT "Writing manual pages and completions")
add_custom_target(attune_told ALL DEPENDS ${told}/man1/attune.1.gz)

# All that is installed, and no tests.
add_custom_target(attune_installed DEPENDS attune attune_archive attune_told)

install(TARGETS attune COMPONENT program)
install(DIRECTORY ${told}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${told}/attune DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${told}/_attune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${told}/attune.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attune)
install(TARGETS attune_archive EXPORT attune COMPONENT library INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/attune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT attune NAMESPACE attune:: FILE attuneTargets.cmake DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/attuneConfig.cmake.in attuneConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(attuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attuneConfig.cmake ${PROJECT_BINARY_DIR}/attuneConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)
