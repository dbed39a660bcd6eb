// Attention as JSON.
#pragma once

#include <string>

#include "view/attention.h"

namespace attune::view {

// On one line, without its end. What BertViz's head view takes: {encoder,decoder,cross}_attention as
// [layer][head][query][key] (null where the model has none), encoder_tokens and decoder_tokens. Beside them,
// under keys of our own, everything else that an Attention holds.
std::string head_view_json(const Attention& attention);

// What the page takes: the same without the three lists. Each of `layers` has its weights as `packed`:
// Base64 of zlib's deflate of the high bytes and then the low bytes of round(65535 w).
std::string packed_json(const Attention& attention);

}  // namespace attune::view
