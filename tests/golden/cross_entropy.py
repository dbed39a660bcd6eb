"""Golden values of src/ops/loss/cross_entropy_test.cpp, from PyTorch in f64."""
import torch
import torch.nn.functional as F


def waves(shape, step):
    count = torch.Size(shape).numel()
    return torch.sin(step * torch.arange(count, dtype=torch.float64)).reshape(shape).requires_grad_()


def show(name, tensor):
    print(name, ", ".join(f"{x:.12g}" for x in tensor.detach().flatten().tolist()))


x, weight, bias = waves([4, 3], 0.1), waves([5, 3], 0.7), waves([5], 0.3)
targets = torch.tensor([2, 0, -1, 4])
logits = F.linear(x, weight, bias)
loss = F.cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.1, reduction="sum")
loss.backward()
show("loss", loss)
show("nll", F.cross_entropy(logits, targets, ignore_index=-1, reduction="none"))
show("dx", x.grad)
show("dweight", weight.grad)
show("dbias", bias.grad)
