// Constants: tensors whose numbers do not change, such as the weights of a model that is not being trained.
// Forms that operations derive from them (a layout for products) are computed once and kept, for all threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "attune/parameters.h"
#include "tensor/storage.h"

namespace attune {

// The forms derived from the constants of one model, in memory separate from that of steps.
class Kept {
 public:
  // The form of a tensor's numbers, which make() computes the first time. The tensor may be a view; views of
  // the same rows and columns share their form.
  template <class T, class Make>
  std::shared_ptr<const T> form(const Tensor& tensor, const Make& make) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const void>& form = forms_[place_of(tensor)];
    if (!form) {
      const Arena::Use memory(arena_);
      form = std::shared_ptr<const T>(make());
    }
    return std::static_pointer_cast<const T>(form);
  }

 private:
  using Place = std::tuple<const std::byte*, int64_t, int64_t, int64_t>;
  static Place place_of(const Tensor& tensor);

  std::mutex mutex_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::map<Place, std::shared_ptr<const void>> forms_;  // a type of numbers has one type of form
};

// Makes parameters that are trained constants for its lifetime. They must not be written to meanwhile.
class Frozen {
 public:
  explicit Frozen(const Parameters& parameters);
  ~Frozen();
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  std::vector<std::shared_ptr<Storage>> storages_;
};

// Returns to the system the memory of numbers in a mapped file that are not needed for now.
void give_back_pages(const Tensor& tensor);

}  // namespace attune
