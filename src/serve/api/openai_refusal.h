// Refusals with the extra fields that OpenAI's clients read.
#pragma once

#include <string>

#include "serve/http/http_message.h"

namespace attune::serve {

struct OpenAiRefusal : HttpRefusal {
  OpenAiRefusal(int status_code, const std::string& why, std::string field, std::string kind)
      : HttpRefusal(status_code, why), parameter(std::move(field)), code(std::move(kind)) {}
  std::string parameter;  // the field that is wrong
  std::string code;       // such as model_not_found
};

OpenAiRefusal model_not_found(const std::string& name);

}  // namespace attune::serve
