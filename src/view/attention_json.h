// Attention as JSON.
#pragma once

#include <string>

#include "view/attention.h"
#include "view/packed.h"

namespace attune::view {

// On one line, without a newline. In the format of BertViz's head view: {encoder,decoder,cross}_attention as
// [layer][head][query][key] (null if the model has none), encoder_tokens and decoder_tokens. In addition,
// under our own keys, everything else in an Attention.
std::string head_view_json(const Attention& attention);

// For the page: the same without the three lists. Each of `layers` has its weights as `packed`: Base64 of
// zlib's deflate of the high bytes and then the low bytes of 4 round(65535 w / 4). What else is known
// (inputs, states, positions) is packed in the same way, between its least and its greatest number. Positions
// are the same for all texts of a model and can be left out.
std::string packed_json(const Attention& attention, bool positions = true, uint32_t unit = kFine);

}  // namespace attune::view
