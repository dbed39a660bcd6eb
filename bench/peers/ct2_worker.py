"""CTranslate2 (the Python module `ctranslate2`, built as its owner likes) as a worker of bench/decoding.py, with the
requests and replies of ct2_worker.mjs. Splitting texts into subwords and joining them is not timed.

usage: ct2_worker.py THREADS
"""
import json
import pathlib
import sys
import time

sys.modules["torch"] = None  # CTranslate2 would load PyTorch, where it finds it, for nothing that is measured
import ctranslate2
import sentencepiece

loaded = {"model": ""}


def load(model, threads):
    folder = pathlib.Path(model)
    if loaded["model"] != model:
        loaded.update(
            model=model, translator=ctranslate2.Translator(model, device="cpu", inter_threads=1, intra_threads=threads),
            source=sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm")),
            target=sentencepiece.SentencePieceProcessor(model_file=str(folder / "target.spm")))
        run(["a"], 1, 1, time.perf_counter)


def run(lines, beam, batch, now):
    tokens = [loaded["source"].encode(line, out_type=str) + ["</s>"] for line in lines]
    start = now()
    results = loaded["translator"].translate_batch(tokens, beam_size=beam, max_batch_size=batch)
    seconds = now() - start
    return seconds, [loaded["target"].decode(result.hypotheses[0]) for result in results]


def translate(request, threads):
    load(request["model"], threads)
    now = time.process_time if request.get("cpu") else time.perf_counter
    lines, beam, batch = request["lines"], request["beam"], request["batch"]
    if request.get("single"):
        return {"seconds": [run([line], beam, batch, now)[0] for line in lines]}
    seconds, texts = run(lines, beam, batch, now)
    return {"seconds": seconds, "texts": texts}


def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return {"megabytes": int(status.split("VmHWM:")[1].split()[0]) / 1024}


for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = peak() if "peak" in request else translate(request, int(sys.argv[1]))
    except Exception as error:  # told to the driver, which ends
        reply = {"error": str(error)}
    print(json.dumps(reply), flush=True)
