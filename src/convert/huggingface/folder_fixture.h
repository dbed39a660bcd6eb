// Folders as Hugging Face's transformers writes them, made of what tests/golden/huggingface.py describes.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "attune/autograd.h"
#include "convert/convert.h"
#include "testing/golden.h"
#include "testing/scratch.h"
#include "text/sentencepiece/writer.h"

namespace attune::huggingface::testing {

using attune::testing::get, attune::testing::put, attune::testing::ScratchFolder;
using nlohmann::json;
namespace fs = std::filesystem;

inline const fs::path kGolden = attune::testing::golden("huggingface");

inline json golden_models() { return json::parse(get(kGolden / "logits.json")); }

// The numbers of a tensor, as the script has them.
inline std::vector<float> numbers_of(const std::string& name, int64_t count) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  const double phase = static_cast<double>(hash % 1000) / 100;
  bool norm = false;
  for (const char* end : {".ln_1.weight", ".ln_2.weight", "ln_f.weight", "norm.weight", "Norm.weight"})
    norm = norm || name.ends_with(end);
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>(
        std::floor(64 * 0.6 * std::sin(1 + 0.7 * static_cast<double>(i) + phase) + 0.5) / 64 +
        (norm ? 1 : 0)));
  return numbers;
}

// The bits of a number that 16 of them can hold exactly.
inline uint16_t bits_of(float x, bool half) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  if (!half) return static_cast<uint16_t>(bits >> 16U);
  const uint32_t exponent = (bits >> 23U) & 0xFFU;
  const uint32_t small = exponent == 0 ? 0 : (exponent - 112) << 10U | ((bits >> 13U) & 0x3FFU);
  return static_cast<uint16_t>((bits >> 16U & 0x8000U) | small);
}

struct StoredTensor {
  std::vector<int64_t> shape;
  std::vector<float> numbers;
};
using StoredTensors = std::map<std::string, StoredTensor>;

// A file as the format's description has it, without our writer.
inline std::string safetensors(const StoredTensors& tensors, const std::string& type) {
  json header = json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    for (const float x : tensor.numbers) {
      const uint16_t bits = bits_of(x, type == "F16");
      if (type == "F32")
        data.append(reinterpret_cast<const char*>(&x), sizeof(x));
      else
        data.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
    }
    header[name] = {{"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i));
  return length + text + data;
}

// A SentencePiece model of these words; the first two are </s> and <unk>.
inline std::string pieces_of(const std::vector<std::string>& words) {
  std::vector<SentencePiece> pieces;
  for (const std::string& word : words)
    pieces.push_back({word, -static_cast<float>(pieces.size()),
                      word == "<unk>"  ? PieceType::unknown
                      : word == "</s>" ? PieceType::control
                                       : PieceType::normal});
  return sentencepiece_model(pieces, VocabularyKind::unigram);
}

struct HuggingFaceFolder {
  ScratchFolder scratch;
  json about, config;
  StoredTensors tensors;
  fs::path path = scratch / "model";

  explicit HuggingFaceFolder(const std::string& name)
      : about(golden_models().at(name)), config(about.at("config")) {
    for (const auto& [tensor, shape] : about.at("tensors").items()) {
      int64_t count = 1;
      for (const int64_t size : shape) count *= size;
      tensors[tensor] = {shape.get<std::vector<int64_t>>(), numbers_of(tensor, count)};
    }
    if (about.contains("last_row_zero")) {
      StoredTensor& table = tensors.at(about["last_row_zero"]);
      std::fill_n(table.numbers.end() - table.shape[1], table.shape[1], 0.f);
    }
    fs::create_directories(path);
    if (about.contains("tokenizer")) put(path / "tokenizer.json", get(kGolden / about["tokenizer"]));
    if (config["model_type"] == "marian") put_pieces();
    write();
  }

  // Pieces for all words but the last, which is <pad>.
  void put_pieces() const {
    std::vector<std::string> words{"</s>", "<unk>", "▁ein", "▁Haus", "▁größer", "▁", "日", "本"};
    while (words.size() + 1 < config["vocab_size"])
      words.push_back(std::string(1, static_cast<char>('a' + words.size() - 8)));
    put(path / "source.spm", pieces_of(words));
    put(path / "target.spm", pieces_of(words));
    words.emplace_back("<pad>");
    json list;
    for (size_t i = 0; i < words.size(); ++i) list[words[i]] = i;
    put(path / "vocab.json", list.dump());
  }

  void write() const {
    put(path / "config.json", config.dump());
    const std::string type = about.value("type", "F32");
    if (!about.contains("files")) return put(path / "model.safetensors", safetensors(tensors, type));
    StoredTensors parts[2];
    json map;
    for (const auto& [name, tensor] : tensors) {
      const size_t part = name.size() % 2;
      parts[part][name] = tensor;
      map[name] = part == 0 ? "a.safetensors" : "b.safetensors";
    }
    put(path / "a.safetensors", safetensors(parts[0], type));
    put(path / "b.safetensors", safetensors(parts[1], type));
    put(path / "model.safetensors.index.json", json{{"weight_map", map}}.dump());
  }

  ModelFiles imported() const {
    write();
    save_imported(importer_of(path).read({path}), scratch / "out");
    return load_model_files(scratch / "out");
  }
};

// The logits of the row that the script shows.
inline std::vector<float> logits_of(const ModelFiles& files, const json& about) {
  const NoGrad no_grad;
  Pass pass;
  const auto ids = [&](const char* key) {
    return one_sentence(about.contains(key) ? about[key].get<std::vector<int32_t>>()
                                            : std::vector<int32_t>());
  };
  Batch batch{.source = ids("source"), .given = ids("given"), .segments = {}, .expected = {}};
  if (about.contains("segments")) batch.segments = ids("segments").ids;
  const Tensor features = files.model->features(batch, pass);
  const int64_t row = about.contains("given") ? features.rows() - 1 : features.rows() == 1 ? 0 : 2;
  const Tensor logits = files.model->logits(features.view_rows(row, row + 1));
  return {logits.span<float>().begin(), logits.span<float>().end()};
}

}  // namespace attune::huggingface::testing
