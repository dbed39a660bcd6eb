// What is refused, of small models in Marian's format: tests/golden/marian.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "convert/convert.h"
#include "io/arrays/npz.h"
#include "io/arrays/npz_fixture.h"
#include "io/files/file.h"
#include "testing/golden.h"
#include "testing/op_check.h"
#include "testing/scratch.h"

namespace attune::marian {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::expect_error;

const fs::path kGolden = testing::golden("marian");

json golden(const std::string& name) { return json::parse(read_file(kGolden / name)); }

ImportSource source_of(const std::string& name, const json& about) {
  ImportSource source{kGolden / (name + ".npz")};
  for (const std::string vocabulary : about.at("vocabularies"))
    source.vocabularies.push_back(kGolden / vocabulary);
  return source;
}

// A model of Marian's, changed.
struct Changed {
  testing::ScratchFolder scratch;
  std::map<std::string, std::string> arrays;
  ImportSource source;

  explicit Changed(const std::string& name) {
    for (const char* file : {"translations.json", "scores.json"})
      if (const json models = golden(file).at("models"); models.contains(name))
        source = source_of(name, models.at(name));
    const Npz npz(source.path);
    for (const auto& [array, entry] : npz.arrays())
      arrays[array] = array == "special:model.yml" ? testing::npy_of_text(npz.text(array))
                                                   : testing::npy_of(npz.tensor(array));
    source.path = scratch / "changed.npz";
  }

  void option(const std::string& key, const std::string& value) {
    const Npz npz = written();
    std::string yaml = "\n" + npz.text("special:model.yml");
    const size_t at = yaml.find("\n" + key + ":");
    const size_t end = at == std::string::npos ? at : yaml.find('\n', at + 1);
    const std::string line = "\n" + key + ": " + value;
    if (at == std::string::npos)
      yaml += line + "\n";
    else
      yaml.replace(at, end - at, line);
    arrays["special:model.yml"] = testing::npy_of_text(yaml);
  }

  Npz written() const {
    testing::write_npz(source.path, arrays);
    return Npz(source.path);
  }

  void expect_refusal(const std::string& part) const {
    written();
    expect_error([&] { save_imported(importer_of(source.path).read(source), scratch / "out"); }, part);
    EXPECT_FALSE(fs::exists(scratch / "out"));
  }
};

TEST(MarianImport, an_unchanged_copy_is_accepted) {
  const Changed copy("t_post");
  copy.written();
  save_imported(importer_of(copy.source.path).read(copy.source), copy.scratch / "out");
}

TEST(MarianImport, arrays_that_are_missing_left_over_or_of_another_shape_are_refused_by_name) {
  for (const char* name : {"t_post", "s_norm"}) {
    Changed more(name);
    more.arrays["decoder_größe"] = testing::npy_of(Tensor::zeros({1, 3}));
    more.expect_refusal("the array 'decoder_größe' is not a part of the network");
    Changed missing(name);
    missing.arrays.erase("decoder_Wemb");
    missing.arrays.erase("Wemb");
    missing.expect_refusal("there is no array 'decoder_Wemb'");
    Changed rows(name);
    rows.arrays["decoder_Wemb"] = testing::npy_of(Tensor::zeros({3, 8}));
    rows.expect_refusal("'decoder_Wemb' has 3 rows, but dim-vocabs says");
  }
  Changed shape("t_post");
  shape.arrays["encoder_l1_ffn_W1"] = testing::npy_of(Tensor::zeros({8, 5}));
  shape.expect_refusal("the model's sizes require");
}

TEST(MarianImport, options_that_mean_another_network_are_refused_by_name) {
  const auto refuse = [](const char* model, const char* key, const char* value, const std::string& part) {
    Changed changed(model);
    changed.option(key, value);
    changed.expect_refusal(part);
  };
  refuse("t_post", "type", "lm-transformer", "type: it takes transformer, s2s, amun, nematus");
  refuse("t_post", "transformer-decoder-autoreg", "average-attention",
         "transformer-decoder-autoreg: attune has");
  refuse("t_post", "transformer-attention-mask", "alibi", "transformer-attention-mask: attune has 'default'");
  refuse("t_post", "transformer-postprocess", "dhn", "attune has a norm after the sum");
  refuse("t_post", "transformer-postprocess-top", "a", "transformer-postprocess-top: attune has a norm");
  refuse("t_post", "transformer-ffn-activation", "prelu",
         "transformer-ffn-activation: it takes relu, gelu, swish");
  refuse("t_post", "ulr", "true", "ulr: attune does not have the network");
  refuse("t_post", "new-attention", "very-new", "new-attention: attune does not have the network");
  refuse("t_post", "transformer-decoder-autoreg", "rnn", "transformer-decoder-autoreg: attune has");  // SSRU
  for (const char* flag : {"transformer-no-bias", "transformer-no-affine", "transformer-pool",
                           "transformer-rnn-projection", "transformer-aan-nogate", "right-left"})
    refuse("t_post", flag, "true", fmt::format("{}: attune does not have the network", flag));
  for (const char* cell : {"mlstm", "mgru", "tanh", "relu", "sru", "ssru"}) {
    refuse("s_norm", "enc-cell", cell, "enc-cell: it takes gru, gru-nematus, lstm");
    refuse("s_norm", "dec-cell", cell, "dec-cell: it takes gru, gru-nematus, lstm");
  }
  refuse("s_norm", "dec-cell", "gru-nematus", "dec-cell: with layer-normalization");
  refuse("s_norm", "enc-type", "sideways", "enc-type: it takes bidirectional");
}

TEST(MarianImport, networks_of_older_versions_that_were_different_are_refused_by_name) {
  const auto refuse = [](const char* version, const std::string& part) {
    Changed changed("t_pre_tied_src");
    changed.option("version", version);
    changed.expect_refusal(part);
  };
  refuse("v1.12.2 1a2b3c 2023-02-21", "before version 1.12.3, Marian's gelu");
  refuse("v1.10.28", "before version 1.11, Marian did not normalise keys and values");
  refuse("v1.9", "before version 1.11");
  for (const char* version : {"v1.12.3", "v1.13", "v2", "unknown"}) {
    Changed newer("t_pre_tied_src");
    newer.option("version", version);
    newer.written();
    save_imported(importer_of(newer.source.path).read(newer.source), newer.scratch / "out");
  }
}

TEST(MarianImport, a_small_file_that_claims_a_large_vocabulary_is_refused_before_one_is_made) {
  Changed changed("t_post");
  std::string yaml = changed.written().text("special:model.yml");
  for (size_t at = 0; (at = yaml.find("- 10\n", at)) != std::string::npos; at += 11)
    yaml.replace(at, 4, "- 10000000");
  changed.arrays["special:model.yml"] = testing::npy_of_text(yaml);
  changed.expect_refusal("dim-vocabs: 10000000 words do not fit the arrays of this file");
}

TEST(MarianImport, options_of_decoder_yml_become_defaults_for_decoding) {
  const testing::ScratchFolder scratch;
  fs::copy(kGolden / "t_post.npz", scratch / "m.npz");
  for (const char* name : {"source.yml", "target.yml"}) fs::copy(kGolden / name, scratch / name);
  const auto write = [&](const std::string& more) {
    std::ofstream(scratch / "decoder.yml") << "models:\n  - m.npz\nvocabs:\n  - source.yml\n  - target.yml\n"
                                           << more;
  };
  write("beam-size: 6\nnormalize: 1\nmini-batch: 1\n");
  const Importer& importer = importer_of(scratch.path());
  const std::vector<ImportSource> members = importer.members({scratch.path()});
  ASSERT_EQ(members.size(), 1U);
  save_imported(importer.read(members[0]), scratch / "out");
  const Entries decoding = load_model_files(scratch / "out").decoding;
  std::map<std::string, std::string> values;
  for (const Entry& entry : decoding) values[entry.key] = entry.values[0];
  EXPECT_EQ(values, (std::map<std::string, std::string>{
                        {"beam_size", "6"}, {"normalize", "1"}, {"unk", "suppress"}}));
  for (const char* bad : {"beam-size: 0\n", "beam-size: many\n", "normalize: -1\n", "beam-size: 2.5\n"}) {
    write(bad);
    expect_error([&] { importer.members({scratch.path()}); }, "is not a number that makes sense");
  }
}

TEST(MarianImport, tells_how_far_it_is) {
  Changed copy("t_post");
  copy.written();
  std::vector<double> shares;
  copy.source.progress = [&](double share) { shares.push_back(share); };
  importer_of(copy.source.path).read(copy.source);
  EXPECT_GT(shares.size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.back(), 0.5);
  EXPECT_LE(shares.back(), 1);
}

TEST(MarianImport, one_table_for_two_different_vocabularies_is_refused) {
  Changed changed("t_tied_all_relu");
  std::ofstream(changed.scratch / "other.yml") << "</s>: 0\n<unk>: 1\nx: 5\n";
  changed.source.vocabularies = {changed.source.vocabularies[0], changed.scratch / "other.yml"};
  changed.expect_refusal("the two vocabularies differ");
}

TEST(MarianImport, one_vocabulary_for_two_tables_has_to_be_named_twice) {
  Changed changed("t_post");
  const fs::path one = changed.source.vocabularies[0];
  changed.source.vocabularies = {one};
  changed.expect_refusal("there is only one vocabulary, source.yml; if it is for both, name it twice");
  changed.source.vocabularies = {one, one};
  save_imported(importer_of(changed.source.path).read(changed.source), changed.scratch / "out");
  Changed shared("t_tied_all_relu");
  shared.written();
  shared.source.vocabularies = {shared.source.vocabularies[0]};
  save_imported(importer_of(shared.source.path).read(shared.source), shared.scratch / "out");
}

}  // namespace
}  // namespace attune::marian
