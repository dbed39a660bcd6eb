#include <fmt/core.h>

#include "attune/error.h"
#include "nn/attention/visibility.h"

namespace attune {
namespace {

// Velickovic et al. 2018, 2.1:  node i sees itself and its neighbours.  With kinds of edges, the energy of a
// pair grows by a learned number for the edge's kind and the head. The work is one step an edge: each node is
// a query of its own, whose keys are its neighbours.
struct EdgesVisibility final : Visibility {
  static constexpr VisibilityTraits kTraits{.self = true, .has_edges = true};

  Tensor kinds;  // [1 + kinds, heads]; undefined: kinds do not matter

  EdgesVisibility(const Scope& p, const VisibilitySizes& sizes)
      : kinds(sizes.edge_kinds > 0 ? p.param("kinds", {1 + sizes.edge_kinds, sizes.heads}, zeros())
                                   : Tensor()) {}

  void narrow(Attending& who, const Tensor&) const override {
    if (!who.edges)
      throw UsageError(
          "visibility: 'edges' needs a source of graphs: source: vectors, and lines such as "
          "nodes.csv|edges.csv");
    if (kinds) {
      for (const int32_t kind : who.edges->kinds.span<int32_t>())
        if (kind >= kinds.rows())
          throw UsageError(fmt::format("edge_kinds: there is an edge of kind {}, but the model knows {}",
                                       kind, kinds.rows() - 1));
      who.pair_bias = embedding(kinds, who.edges->kinds);
    }
    who.queries = Rows::uniform(who.edges->rows.count(), 1);
    who.keys = who.edges->rows;
    who.places = who.edges->to;
    who.sees = {};
    who.centres = who.bias = who.relative = {};
  }
};

const RegisterVisibility<EdgesVisibility> registered("edges");

}  // namespace
}  // namespace attune
