# The page of web/, built once and whenever its sources change, and taken into view/embedded.cpp. npm's packages lie
# in web/node_modules, whatever the preset; package-lock.json fixes their versions and sums.
if(NOT ATTUNE_WEB)
  return()
endif()
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
if(NOT NPM OR NOT NODE)
  message(FATAL_ERROR "npm and Node.js (18 or later) are not there, which the pages of attune are built with. Install "
                      "them (Debian: apt-get install nodejs npm), or build without pages: -D ATTUNE_WEB=OFF")
endif()

set(web ${PROJECT_SOURCE_DIR}/web)
set(attune_page ${PROJECT_BINARY_DIR}/web/page.html)
set(attune_local_page ${PROJECT_BINARY_DIR}/web/page_local.html)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
# A new build folder knows nothing of another that fetched them already.
set(packages node_modules/.package-lock.json)
add_custom_command(
  OUTPUT ${web}/${packages}
  COMMAND test ${packages} -nt package-lock.json -a ${packages} -nt package.json || ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY ${web}
  DEPENDS ${web}/package-lock.json ${web}/package.json
  COMMENT "Fetching the packages of web/")
add_custom_command(
  OUTPUT ${attune_page} ${attune_local_page}
  COMMAND ${NODE} build.mjs ${attune_page}
  WORKING_DIRECTORY ${web}
  DEPENDS ${web}/${packages} ${web}/build.mjs ${web}/page.html ${web_sources}
  COMMENT "Building the pages of web/")
# No target's source, so that others need not wait for it.
add_custom_target(attune_web DEPENDS ${attune_page})

# The engine that runs in pages, once ./run wasm has built it.
set(attune_engine_folder ${PROJECT_SOURCE_DIR}/build/wasm)
file(GLOB attune_engine CONFIGURE_DEPENDS ${attune_engine_folder}/engine.wasm)
