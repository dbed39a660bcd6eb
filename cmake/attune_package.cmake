# Debian packages (`./run package`): attune (the program), libattune-dev (library and headers), python3-attune.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attune)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "attune contributors <attune@packages.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library)
if(ATTUNE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(summary "sequence-to-sequence models with attention, on CPUs")
set(what "attune trains, runs, measures, shows and serves sequence-to-sequence models\nwith attention on ordinary CPUs: RNN encoder-decoders, Bahdanau's and Luong's\nattention, the Transformer, BERT and GPT.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME attune)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "openmpi-bin")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${summary}\n${what}")

# The library is an archive: what it is linked with comes from these, as attuneConfig.cmake says.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libattune-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libdnnl-dev, ocl-icd-opencl-dev, libhwy-dev, libfmt-dev, libyaml-cpp-dev, libsentencepiece-dev, zlib1g-dev, liblzma-dev, libzstd-dev, libexpat1-dev, libicu-dev, libpng-dev, libturbojpeg0-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "cmake, pkg-config")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${summary} (C++ library)\n${what}\n\nThis package has the library and its headers.")

# The extension is for one version of Python.
math(EXPR next_minor "${Python_VERSION_MINOR}+1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-attune)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${summary} (Python module)\n${what}\n\nThis package is for `import attune`.")

# What Debian wants with every package.
set(told ${PROJECT_BINARY_DIR}/told)
file(READ LICENSE license)
string(REGEX REPLACE "^MIT License\n+Copyright [^\n]*\n+" "" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(WRITE ${told}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: attune

Files: *
Copyright: 2026 attune contributors
License: MIT

License: MIT
 ${license}
")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${told}/changelog.Debian "attune (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}; its changes are in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
configure_file(CHANGELOG.md ${told}/changelog COPYONLY)
execute_process(COMMAND gzip -9nkf ${told}/changelog.Debian ${told}/changelog)
foreach(package program=attune library=libattune-dev python=python3-attune)
  string(REGEX MATCH "(.*)=(.*)" package ${package})
  install(FILES ${told}/copyright ${told}/changelog.Debian.gz ${told}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2} COMPONENT ${CMAKE_MATCH_1})
endforeach()
include(CPack)
