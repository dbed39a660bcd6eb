#include "convert/marian/old_names.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace attune::marian {
namespace {

using Names = std::pair<std::string_view, std::string_view>;  // of s2s, of Nematus

constexpr std::array kWhole{Names{"decoder_Wemb", "Wemb_dec"},
                            Names{"encoder_Wemb", "Wemb"},
                            Names{"decoder_cell2_U", "decoder_U_nl"},
                            Names{"decoder_cell2_Ux", "decoder_Ux_nl"},
                            Names{"decoder_cell2_W", "decoder_Wc"},
                            Names{"decoder_cell2_Wx", "decoder_Wcx"},
                            Names{"decoder_cell2_b", "decoder_b_nl"},
                            Names{"decoder_cell2_bx", "decoder_bx_nl"},
                            Names{"decoder_ff_logit_l2_W", "ff_logit_W"},
                            Names{"decoder_ff_logit_l2_b", "ff_logit_b"}};
constexpr std::array<std::string_view, 6> kCell{"U", "Ux", "W", "Wx", "b", "bx"};
constexpr std::array<std::string_view, 4> kTransition{"U", "Ux", "b", "bx"};
constexpr std::array<std::string_view, 3> kReadout{"prev", "lstm", "ctx"};

// With the norms' parameters of this matrix.
void rename(Tensors& tensors, const std::string& name, const std::string& old) {
  for (const char* norm : {"", "_lns", "_lnb"}) tensors.rename(name + norm, old + norm);
}

}  // namespace

void use_old_names(Tensors& tensors, const Options& options) {
  for (const auto& [name, old] : kWhole) rename(tensors, std::string(name), std::string(old));
  for (const std::string_view part : kCell) {
    rename(tensors, fmt::format("decoder_cell1_{}", part), fmt::format("decoder_{}", part));
    rename(tensors, fmt::format("encoder_bi_{}", part), fmt::format("encoder_{}", part));
    rename(tensors, fmt::format("encoder_bi_r_{}", part), fmt::format("encoder_r_{}", part));
  }
  for (const char* norm : {"gamma1", "gamma2"}) {
    tensors.rename(fmt::format("encoder_bi_{}", norm), fmt::format("encoder_{}", norm));
    tensors.rename(fmt::format("encoder_bi_r_{}", norm), fmt::format("encoder_r_{}", norm));
  }
  for (const std::string_view part : kTransition) {
    for (int64_t i = 2; i <= options.number("enc-cell-depth", 1); ++i) {
      rename(tensors, fmt::format("encoder_bi_cell{}_{}", i, part),
             fmt::format("encoder_{}_drt_{}", part, i - 1));
      rename(tensors, fmt::format("encoder_bi_r_cell{}_{}", i, part),
             fmt::format("encoder_r_{}_drt_{}", part, i - 1));
    }
    for (int64_t i = 3; i <= options.number("dec-cell-base-depth", 2); ++i)
      rename(tensors, fmt::format("decoder_cell{}_{}", i, part),
             fmt::format("decoder_{}_nl_drt_{}", part, i - 2));
  }
  for (size_t i = 0; i < kReadout.size(); ++i) {
    for (const char* part : {"W", "b", "ln_s", "ln_b"})
      tensors.rename(fmt::format("decoder_ff_logit_l1_{}{}", part, i),
                     fmt::format("ff_logit_{}_{}", kReadout[i], part));
    tensors.rename(fmt::format("decoder_ff_logit_l1_gamma{}", i), fmt::format("ff_logit_l1_gamma{}", i));
  }
  for (const char* part : {"W", "b", "gamma", "ln_s", "ln_b"})
    tensors.rename(fmt::format("decoder_ff_state_{}", part), fmt::format("ff_state_{}", part));
  for (const char* without_meaning : {"decoder_c_tt", "uidx", "history_errs"})
    tensors.ignore(without_meaning);
}

}  // namespace attune::marian
