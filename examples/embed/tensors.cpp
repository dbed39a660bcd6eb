// attune as a library: a softmax and the gradient of a weighted sum of it.
#include <attune/autograd.h>
#include <attune/ops.h>

#include <cstdio>

using namespace attune;

static void print(const char* name, const Tensor& tensor) {
  std::printf("%s", name);
  for (const float x : tensor.span<float>()) std::printf(" %.4f", x);
  std::printf("\n");
}

int main() {
  const Tensor x = leaf(Tensor::of<float>({3}, {1, 2, 3}));
  const Tensor p = softmax(x);
  backward(sum(mul(p, Tensor::of<float>({3}, {-1, 0, 2}))));
  print("softmax", p);
  print("gradient", leaf_gradient(x));
}
