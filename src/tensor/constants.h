// Constants: tensors whose numbers do not change, as the weights of a model that is only used. What an
// operation makes of them (a layout for products) is made once and kept, for all threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "attune/parameters.h"
#include "tensor/storage.h"

namespace attune {

// What was made of the constants of one model. It lies in memory of its own, apart from that of steps.
class Kept {
 public:
  // The form of a tensor's numbers; make() gives it the first time. The tensor may be a view; those with the
  // same rows and columns share their form.
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

// The parameters are constants while this lives. Nobody writes to them meanwhile.
class Frozen {
 public:
  explicit Frozen(const Parameters& parameters);
  ~Frozen();
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  std::vector<std::shared_ptr<Storage>> storages_;
};

// The memory of numbers that lie in a mapped file and are not needed for now goes back to the system.
void give_back_pages(const Tensor& tensor);

}  // namespace attune
