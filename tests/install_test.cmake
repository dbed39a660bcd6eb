# Installs attune, builds examples/embed against the installed copy alone, and runs it.
function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file share/man/man1/attune.1.gz share/man/man1/attune-train.1.gz share/bash-completion/completions/attune
        share/zsh/vendor-completions/_attune share/fish/vendor_completions.d/attune.fish share/doc/attune/copyright)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -D CMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/tensors)
set(expected "softmax 0.0900 0.2447 0.6652\ngradient -0.2017 -0.3036 0.5053\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "tensors printed\n${output}instead of\n${expected}")
endif()

run(${WORK}/build/own_model)
if(NOT output MATCHES "step 300: 200 of 200 right\nplace 0 looks at 4\nplace 1 looks at 3\nplace 2 looks at 2\nplace 3 looks at 1\nplace 4 looks at 0\n")
  message(FATAL_ERROR "own_model printed\n${output}")
endif()

set(attune ${WORK}/prefix/bin/attune)
file(WRITE ${WORK}/text.en "a b c\nc b\nb\na c\n")
file(WRITE ${WORK}/text.de "c b a\nb c\nb\nc a\n")
run(${attune} train --type rnn --embedding 8 --hidden 8 --vocab-kind word --after 150u --learning-rate 0.02
    --lr-warmup 10u --dropout 0 --model ${WORK}/model
    --train-sets ${WORK}/text.en ${WORK}/text.de)
run(${attune} translate -m ${WORK}/model -b 4 INPUT_FILE ${WORK}/text.en)
set(expected "${output}")
run(${WORK}/build/translate ${WORK}/model INPUT_FILE ${WORK}/text.en)
string(REGEX REPLACE "(^|\n)[-0-9.]+\t" "\\1" texts "${output}")
if(NOT texts STREQUAL expected)
  message(FATAL_ERROR "translate printed\n${output}instead of\n${expected}")
endif()

run(${WORK}/build/train_and_look ${WORK}/text.en ${WORK}/text.de ${WORK}/looked)
if(NOT output MATCHES "chrF2 [0-9.]+\n.*</s>.*\n[0-9]+ words\n")
  message(FATAL_ERROR "train_and_look printed\n${output}")
endif()

file(WRITE ${WORK}/recipe.yml "folder: ${WORK}/compared
budget: 3u
shared: {train_sets: [${WORK}/text.en, ${WORK}/text.de], vocab_kind: word, mini_batch_words: 200}
tests: [{name: test, source: ${WORK}/text.en, references: [${WORK}/text.de]}]
models: [{name: GRU, type: rnn, embedding: 8, hidden: 8}]
")
run(${WORK}/build/compare ${WORK}/recipe.yml)
if(NOT output MATCHES "GRU.*report.html")
  message(FATAL_ERROR "compare printed\n${output}")
endif()
