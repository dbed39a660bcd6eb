// ja-mecab, ko-mecab: words by MeCab, whose library and dictionary are looked for when they are needed.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "attune/error.h"
#include "metrics/tokenize/tokenize.h"

namespace attune::metrics {
namespace {

// What is used of MeCab's C interface, which has been the same since 0.99.
struct MecabDictionary {
  const char* filename;
  const char* charset;
};

class MecabLibrary {
 public:
  MecabLibrary() : handle_(dlopen("libmecab.so.2", RTLD_NOW)) {
    if (handle_ == nullptr) return;
    find("mecab_new", open);
    find("mecab_destroy", close);
    find("mecab_sparse_tostr2", tokens);
    find("mecab_dictionary_info", dictionary);
    find("mecab_version", version);
    complete_ = open && close && tokens && dictionary && version;
  }

  explicit operator bool() const { return complete_; }

  void* (*open)(int count, char** arguments) = nullptr;
  void (*close)(void* tagger) = nullptr;
  const char* (*tokens)(void* tagger, const char* text, size_t size) = nullptr;
  const MecabDictionary* (*dictionary)(void* tagger) = nullptr;
  const char* (*version)() = nullptr;

 private:
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  void* handle_;  // stays open
  bool complete_ = false;
};

const MecabLibrary& library() {
  static const MecabLibrary mecab;
  return mecab;
}

struct Dictionary {
  const char* name;      // of the tokeniser
  const char* tag;       // in the signature
  const char* variable;  // of the environment, with its folder
  const char* advice;
  std::vector<const char*> folders;
};

std::string folder_of(const Dictionary& dictionary) {
  if (const char* given = std::getenv(dictionary.variable)) return given;
  for (const char* folder : dictionary.folders)
    if (std::filesystem::exists(std::filesystem::path(folder) / "sys.dic")) return folder;
  throw UsageError(
      fmt::format("the tokeniser {} needs a dictionary: {}, or name its folder in the environment "
                  "variable {}",
                  dictionary.name, dictionary.advice, dictionary.variable));
}

class Mecab {
 public:
  explicit Mecab(const Dictionary& dictionary) {
    if (!library())
      throw UsageError(fmt::format("the tokeniser {} needs MeCab: install libmecab2, and {}", dictionary.name,
                                   dictionary.advice));
    const std::string folder = folder_of(dictionary);
    std::vector<std::string> words{"mecab", "-r", "/dev/null", "-d", folder, "-Owakati"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    tagger_ = library().open(static_cast<int>(arguments.size()), arguments.data());
    const MecabDictionary* opened = tagger_ != nullptr ? library().dictionary(tagger_) : nullptr;
    if (opened == nullptr) throw UsageError(fmt::format("{}: MeCab cannot read this dictionary", folder));
    if (const std::string charset = opened->charset;
        charset != "UTF-8" && charset != "utf-8" && charset != "utf8") {
      library().close(tagger_);
      throw UsageError(
          fmt::format("{}: this dictionary is in {}; the one in UTF-8 is needed", folder, charset));
    }
  }
  Mecab(const Mecab&) = delete;
  Mecab& operator=(const Mecab&) = delete;
  ~Mecab() { library().close(tagger_); }

  std::string words(std::string_view line) {
    const std::lock_guard lock(mutex_);  // a tagger works on one line at a time
    const char* found = library().tokens(tagger_, line.data(), line.size());
    if (found == nullptr) throw Error(fmt::format("MeCab cannot tokenise '{}'", line));
    return found;
  }

 private:
  void* tagger_ = nullptr;
  std::mutex mutex_;
};

Tokenizer with(const Dictionary& dictionary) {
  const auto mecab = std::make_shared<Mecab>(dictionary);
  return {[mecab](std::string_view line) { return mecab->words(line); },
          fmt::format("{}-{}-{}", dictionary.name, library().version(), dictionary.tag)};
}

const RegisterTokenizer japanese("ja-mecab", [](const TokenizerOptions&) {
  return with({"ja-mecab",
               "IPA",
               "MECAB_IPADIC",
               "install mecab-ipadic-utf8",
               {"/var/lib/mecab/dic/ipadic-utf8", "/usr/lib/mecab/dic/ipadic", "/usr/lib64/mecab/dic/ipadic",
                "/usr/local/lib/mecab/dic/ipadic"}});
});

const RegisterTokenizer korean("ko-mecab", [](const TokenizerOptions&) {
  return with({"ko-mecab",
               "KO",
               "MECAB_KO_DIC",
               "install mecab-ko-dic",
               {"/usr/lib/mecab/dic/mecab-ko-dic", "/usr/local/lib/mecab/dic/mecab-ko-dic"}});
});

}  // namespace
}  // namespace attune::metrics
