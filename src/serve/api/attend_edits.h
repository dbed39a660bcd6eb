// What a request wants changed in a model's attention: heads that are off, and tokens that look elsewhere.
#pragma once

#include "nn/attention/edits.h"
#include "serve/api/request_fields.h"
#include "view/attention.h"

namespace attune::serve {

// Of the field heads_off, and of it and look_at. An HttpRefusal with 400 says what is wrong with them.
AttentionEdits heads_off(const RequestFields& fields);
AttentionEdits edits_of(const RequestFields& fields);

// Refuses edits of attention, heads or tokens that were not there.
void require_seen(const AttentionEdits& edits, const view::Attention& seen);

// The field matrices: a layer and perhaps its head.
view::AttentionChoice choice_of(const RequestFields& fields);

}  // namespace attune::serve
