// Bodies give fields or a refusal with 400; texts are UTF-8 without NUL.
#include <cstdint>
#include <cstdlib>

#include "serve/api/request_fields.h"
#include "text/utf8.h"

using namespace attune::serve;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}) {
    try {
      const RequestFields fields({.method = "POST", .headers = {{"content-type", type}}, .body = body});
      for (const std::string& text : fields.texts("q").all)
        if (attune::find_invalid_utf8(text) || text.find('\0') != std::string::npos) std::abort();
      fields.required("source");
      fields.integer("n", 0, 0, 10);
      fields.flag("on");
    } catch (const HttpRefusal& refusal) {
      if (refusal.status != 400) std::abort();
    }
  }
  return 0;
}
