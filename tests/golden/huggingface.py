"""The logits of small models as Hugging Face's transformers stores them (names, shapes, options), by an independent
implementation in NumPy.

usage: huggingface.py > huggingface/logits.json

Written from the equations of the networks: one text at a time, f64. Tensor NAME has the numbers
round(64 * 0.6 sin(1 + 0.7 i + phase(NAME))) / 64, and 1 more in the weights of norms, so that only shapes and results are
stored, and files of 16-bit numbers have the same ones.
"""
import json
import math

import numpy as np

D, HEADS, FF, LAYERS = 8, 2, 12, 2
LIMIT = 16
WORDS = 310  # a few more than the tokenizers have
SHOWN = 24   # logits


def phase(name):
    value = 14695981039346656037
    for byte in name.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value % 1000 / 100


class Weights(dict):
    def get(self, name, *shape):
        if name not in self:
            waves = np.sin(1 + 0.7 * np.arange(math.prod(shape)) + phase(name))
            norm = name.endswith((".ln_1.weight", ".ln_2.weight", "ln_f.weight", "norm.weight", "Norm.weight"))
            self[name] = (np.floor(64 * 0.6 * waves + 0.5) / 64 + norm).reshape(shape)
        return self[name]


# ---- Networks: x [tokens, d].

def linear(w, name, x, out, bias=True):
    y = x @ w.get(f"{name}.weight", out, x.shape[-1]).T
    return y + w.get(f"{name}.bias", out) if bias else y


def conv1d(w, name, x, out):
    return x @ w.get(f"{name}.weight", x.shape[-1], out) + w.get(f"{name}.bias", out)


def layer_norm(w, name, x, eps):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * w.get(f"{name}.weight", D) + w.get(f"{name}.bias", D)


def rms_norm(w, name, x, eps):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * w.get(f"{name}.weight", D)


def erf(x):
    return np.vectorize(math.erf)(x)


ACTIVATIONS = {"gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
               "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
               "relu": lambda x: np.maximum(x, 0), "swish": lambda x: x / (1 + np.exp(-x))}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, heads, causal=False):
    d = q.shape[-1] // heads
    shared = k.shape[-1] // d
    out = []
    for h in range(heads):
        kv = h * shared // heads
        scores = q[:, h * d:(h + 1) * d] @ k[:, kv * d:(kv + 1) * d].T / math.sqrt(d)
        if causal:
            scores = np.where(np.tril(np.ones(scores.shape)) > 0, scores, -1e30)
        out.append(softmax(scores) @ v[:, kv * d:(kv + 1) * d])
    return np.concatenate(out, -1)


def gpt2(w, config, ids, prefix="transformer."):
    eps, f = config["layer_norm_epsilon"], ACTIVATIONS[config["activation_function"]]
    words = w.get(f"{prefix}wte.weight", config["vocab_size"], D)
    x = words[ids] + w.get(f"{prefix}wpe.weight", LIMIT, D)[:len(ids)]
    for i in range(LAYERS):
        h = f"{prefix}h.{i}."
        q, k, v = np.split(conv1d(w, h + "attn.c_attn", layer_norm(w, h + "ln_1", x, eps), 3 * D), 3, -1)
        x = x + conv1d(w, h + "attn.c_proj", attend(q, k, v, HEADS, True), D)
        x = x + conv1d(w, h + "mlp.c_proj", f(conv1d(w, h + "mlp.c_fc", layer_norm(w, h + "ln_2", x, eps), FF)), D)
    x = layer_norm(w, f"{prefix}ln_f", x, eps)
    output = words if config.get("tie_word_embeddings", True) else w.get("lm_head.weight", config["vocab_size"], D)
    return x @ output.T


def turns(d, config):
    """Radians from one position to the next, as in Llama 3.1."""
    frequencies = 1 / config["rope_theta"] ** (np.arange(0, d, 2) / d)
    scaling = config["rope_scaling"]
    if not scaling:
        return frequencies
    factor, low, high = scaling["factor"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    trained, changed = scaling["original_max_position_embeddings"], []
    for frequency in frequencies:
        length = 2 * math.pi / frequency
        smooth = (trained / length - low) / (high - low)
        changed.append(frequency if length < trained / high else frequency / factor if length > trained / low
                       else (1 - smooth) * frequency / factor + smooth * frequency)
    return np.array(changed)


def turned(x, heads, config):
    d = x.shape[-1] // heads
    angles = np.arange(len(x))[:, None] * turns(d, config)
    cos, sin = np.cos(angles), np.sin(angles)
    out = []
    for h in range(heads):
        a, b = x[:, h * d:h * d + d // 2], x[:, h * d + d // 2:(h + 1) * d]
        out += [a * cos - b * sin, b * cos + a * sin]
    return np.concatenate(out, -1)


def llama(w, config, ids):
    eps = config["rms_norm_eps"]
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    d = D // heads
    bias = config.get("attention_bias", False)
    words = w.get("model.embed_tokens.weight", config["vocab_size"], D)
    x = words[ids]
    for i in range(LAYERS):
        h = f"model.layers.{i}."
        a = rms_norm(w, h + "input_layernorm", x, eps)
        q = turned(linear(w, h + "self_attn.q_proj", a, D, bias), heads, config)
        k = turned(linear(w, h + "self_attn.k_proj", a, shared * d, bias), shared, config)
        v = linear(w, h + "self_attn.v_proj", a, shared * d, bias)
        x = x + linear(w, h + "self_attn.o_proj", attend(q, k, v, heads, True), D, bias)
        a = rms_norm(w, h + "post_attention_layernorm", x, eps)
        gate = ACTIVATIONS["swish"](linear(w, h + "mlp.gate_proj", a, FF, False))
        x = x + linear(w, h + "mlp.down_proj", gate * linear(w, h + "mlp.up_proj", a, FF, False), D, False)
    x = rms_norm(w, "model.norm", x, eps)
    output = words if config["tie_word_embeddings"] else w.get("lm_head.weight", config["vocab_size"], D)
    return x @ output.T


BERT = {"prefix": "bert.", "layer": "encoder.layer.", "q": "attention.self.query", "k": "attention.self.key",
        "v": "attention.self.value", "out": "attention.output.dense", "norm": "attention.output.LayerNorm",
        "in": "intermediate.dense", "ff": "output.dense", "ff_norm": "output.LayerNorm",
        "head": "cls.predictions.transform.dense", "head_norm": "cls.predictions.transform.LayerNorm",
        "bias": "cls.predictions.bias"}
DISTIL = {"prefix": "distilbert.", "layer": "transformer.layer.", "q": "attention.q_lin", "k": "attention.k_lin",
          "v": "attention.v_lin", "out": "attention.out_lin", "norm": "sa_layer_norm", "in": "ffn.lin1",
          "ff": "ffn.lin2", "ff_norm": "output_layer_norm", "head": "vocab_transform",
          "head_norm": "vocab_layer_norm", "bias": "vocab_projector.bias"}


def bert(w, config, ids, segments, names, head):
    eps, p = 1e-12, names["prefix"] if head != "bare" else ""
    f = ACTIVATIONS["gelu"]
    words = w.get(f"{p}embeddings.word_embeddings.weight", config["vocab_size"], D)
    x = words[ids] + w.get(f"{p}embeddings.position_embeddings.weight", LIMIT, D)[:len(ids)]
    if names is BERT:
        x = x + w.get(f"{p}embeddings.token_type_embeddings.weight", 2, D)[segments]
    x = layer_norm(w, f"{p}embeddings.LayerNorm", x, eps)
    for i in range(LAYERS):
        h = f"{p}{names['layer']}{i}."
        a = attend(*[linear(w, h + names[part], x, D) for part in "qkv"], HEADS)
        x = layer_norm(w, h + names["norm"], x + linear(w, h + names["out"], a, D), eps)
        x = layer_norm(w, h + names["ff_norm"], x + linear(w, h + names["ff"], f(linear(w, h + names["in"], x, FF)), D), eps)
    if head == "classes":
        pooled = np.tanh(linear(w, f"{p}pooler.dense", x[:1], D))
        return linear(w, "classifier", pooled, len(config["id2label"]))
    if head == "bare":
        linear(w, "pooler.dense", x[:1], D)
        x = f(x)  # a head that has not learned anything
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) @ words.T
    x = layer_norm(w, names["head_norm"], f(linear(w, names["head"], x, D)), eps)
    return x @ words.T + w.get(names["bias"], config["vocab_size"])


def waves(length):
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, D, 2) / D)
    return np.concatenate([np.sin(angles), np.cos(angles)], -1)


def marian(w, config, source, given):
    f, scale = ACTIVATIONS[config["activation_function"]], math.sqrt(D) if config["scale_embedding"] else 1
    if config["share_encoder_decoder_embeddings"]:
        first = second = w.get("model.shared.weight", config["vocab_size"], D)
    else:
        first = w.get("model.encoder.embed_tokens.weight", config["vocab_size"], D)
        second = w.get("model.decoder.embed_tokens.weight", config["decoder_vocab_size"], D)

    def attention(name, x, y, causal):
        q, k, v = (linear(w, f"{name}.{part}_proj", z, D) for part, z in (("q", x), ("k", y), ("v", y)))
        return linear(w, f"{name}.out_proj", attend(q, k, v, HEADS, causal), D)

    def stack(name, x, memory):
        for i in range(LAYERS):
            h = f"model.{name}.layers.{i}."
            x = layer_norm(w, h + "self_attn_layer_norm", x + attention(h + "self_attn", x, x, name == "decoder"), 1e-5)
            if memory is not None:
                x = layer_norm(w, h + "encoder_attn_layer_norm", x + attention(h + "encoder_attn", x, memory, False), 1e-5)
            x = layer_norm(w, h + "final_layer_norm", x + linear(w, h + "fc2", f(linear(w, h + "fc1", x, FF)), D), 1e-5)
        return x

    memory = stack("encoder", first[source] * scale + waves(len(source)), None)
    x = stack("decoder", second[given] * scale + waves(len(given)), memory)
    output = second if config["tie_word_embeddings"] else w.get("lm_head.weight", len(second), D)
    return x @ output.T + w.get("final_logits_bias", 1, len(second))


# ---- What is stored.

def record(name, config, weights, inputs, logits, **more):
    shown = [float(f"{number:.7g}") for number in np.asarray(logits).flatten()[:SHOWN]]
    tensors = {key: list(tensor.shape) for key, tensor in weights.items()}
    return json.dumps(name) + ": " + json.dumps(
        {"config": config, "tensors": tensors, **inputs, **more, "logits": shown}, ensure_ascii=False)


def gpt2_records():
    common = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": LAYERS, "n_embd": D, "n_head": HEADS,
              "n_inner": FF, "n_positions": LIMIT, "vocab_size": WORDS, "layer_norm_epsilon": 1e-5,
              "activation_function": "gelu_new"}
    ids = [0, 5, 40, WORDS - 1, 5, 17]
    for name, changes, more in (("gpt2", {}, {}), ("gpt2_gelu", {"activation_function": "gelu"}, {"type": "F16", "files": 2}),
                                ("gpt2_bare", {"architectures": ["GPT2Model"]}, {"type": "BF16"}),
                                ("gpt2_untied", {"tie_word_embeddings": False}, {})):
        config, w = {**common, **changes}, Weights()
        logits = gpt2(w, config, ids, "" if name == "gpt2_bare" else "transformer.")
        if name == "gpt2":
            w["transformer.h.0.attn.bias"] = np.ones((1, 1, LIMIT, LIMIT))
        yield record(name, config, w, {"given": ids}, logits[-1], tokenizer="gpt2.json", **more)


def llama_records():
    common = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": LAYERS, "hidden_size": D,
              "intermediate_size": FF, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu",
              "rms_norm_eps": 1e-6, "rope_theta": 500000.0, "rope_scaling": None, "max_position_embeddings": LIMIT,
              "vocab_size": WORDS, "tie_word_embeddings": False, "attention_bias": False}
    ids = [0, 7, 30, WORDS - 1, 12, 7]
    for name, changes, more in (("llama", {}, {}),
                                ("llama_tied", {"tie_word_embeddings": True, "num_key_value_heads": 4,
                                                "rope_theta": 10000.0}, {"type": "BF16"}),
                                ("llama_bias", {"attention_bias": True}, {}),
                                ("llama_stretched", {"num_attention_heads": 1, "num_key_value_heads": 1, "rope_theta": 20.0,
                                                     "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
                                                                      "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                                      "original_max_position_embeddings": 16}}, {})):
        config, w = {**common, **changes}, Weights()
        yield record(name, config, w, {"given": ids}, llama(w, config, ids)[-1], tokenizer="llama3.json", **more)


def bert_records():
    common = {"model_type": "bert", "num_hidden_layers": LAYERS, "hidden_size": D, "num_attention_heads": HEADS,
              "intermediate_size": FF, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "max_position_embeddings": LIMIT,
              "type_vocab_size": 2, "vocab_size": WORDS, "hidden_dropout_prob": 0.1}
    ids, segments = [2, 9, 4, 20, 3, 31, 3], [0, 0, 0, 0, 0, 1, 1]
    distil = {"model_type": "distilbert", "architectures": ["DistilBertForMaskedLM"], "n_layers": LAYERS, "dim": D,
              "n_heads": HEADS, "hidden_dim": FF, "activation": "gelu", "max_position_embeddings": LIMIT,
              "vocab_size": WORDS}
    for name, config, names, head in (
            ("bert_mask", {**common, "architectures": ["BertForMaskedLM"]}, BERT, "mask"),
            ("bert_classes", {**common, "architectures": ["BertForSequenceClassification"],
                              "id2label": {"0": "not so good", "1": "größer"}}, BERT, "classes"),
            ("bert_bare", {**common, "architectures": ["BertModel"]}, BERT, "bare"), ("distilbert", distil, DISTIL, "mask")):
        w = Weights()
        logits = bert(w, config, ids, segments, names, head)
        yield record(name, config, w, {"source": ids, "segments": segments}, logits[0 if head == "classes" else 2],
                     tokenizer="bert.json")


def marian_records():
    size = 24
    common = {"model_type": "marian", "architectures": ["MarianMTModel"], "encoder_layers": LAYERS, "decoder_layers": LAYERS,
              "d_model": D, "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS, "encoder_ffn_dim": FF,
              "decoder_ffn_dim": FF, "activation_function": "swish", "scale_embedding": True,
              "static_position_embeddings": True, "max_position_embeddings": LIMIT, "vocab_size": size,
              "decoder_vocab_size": size, "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True,
              "pad_token_id": size - 1, "eos_token_id": 0, "decoder_start_token_id": size - 1, "normalize_before": False}
    source, given = [5, 9, 6, 0], [size - 1, 7, 8, 11]
    for name, changes, zero in (("marian_mt", {}, "model.shared.weight"),
                                ("marian_mt_start", {"activation_function": "relu", "decoder_ffn_dim": 12}, None),
                                ("marian_mt_untied", {"tie_word_embeddings": False, "share_encoder_decoder_embeddings": False},
                                 "model.decoder.embed_tokens.weight")):
        config, w = {**common, **changes}, Weights()
        if zero:
            w.get(zero, size, D)[size - 1] = 0
        yield record(name, config, w, {"source": source, "given": given}, marian(w, config, source, given)[-1],
                     **({"last_row_zero": zero} if zero else {}))


print("{\n" + ",\n".join([*gpt2_records(), *llama_records(), *bert_records(), *marian_records()]) + "\n}")
