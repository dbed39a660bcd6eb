// A tokenizer.json of Hugging Face as a vocabulary.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/vocabulary/vocabulary.h"

namespace attune {

// Whether the content is JSON, as no other vocabulary is.
bool is_tokenizer_file(std::string_view content);

std::unique_ptr<Vocabulary> parse_tokenizer_vocabulary(std::string content, const std::string& name);

}  // namespace attune
