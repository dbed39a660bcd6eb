"""Throughput and latency of `attune serve` beside `attune translate` on the same sentences and threads.

usage: serve.py MODEL TEXT [--attune PROGRAM] [--threads N] [--connections N] [--seconds N] [--source XX --target YY]

Three figures in sentences a second: `attune translate` over the text; the server with many connections, each with one
sentence at a time; the server with one connection (one request at a time). wrk (Debian) makes the requests. With
--soak MINUTES it goes on for so long and prints the server's memory each ten seconds.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LUA = """
local bodies = {}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local at = 0
function setup(thread) thread:set("at", at); at = at + 7919 end
request = function()
  at = at + 1
  return wrk.format("POST", "/translate", {["Content-Type"] = "application/json"}, bodies[at %% #bodies + 1])
end
done = function(summary, latency)
  io.write(string.format("RESULT %%d %%d %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency.max))
end
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("text", help="a sentence a line")
    parser.add_argument("--attune", default=str(pathlib.Path(__file__).parent.parent / "build/release/attune"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--beam-size", default="1")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES")
    return parser.parse_args()


class Server:
    def __init__(self, args):
        self.process = subprocess.Popen([args.attune, "serve", "-m", f"{args.source}-{args.target}={args.model}", "--port", "0", "--quiet",
                                         "--cpu-threads", str(args.threads), "--beam-size", args.beam_size],
                                        stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"listening at (http://\S+)", line):
                self.address = found[1]
                return
        sys.exit("serve.py: the server did not start")

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def wrk(address, script, connections, seconds):
    result = subprocess.run(["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s", "-s", script, address],
                            capture_output=True, text=True)
    found = re.search(r"RESULT (.*)", result.stdout)
    if not found:
        sys.exit("serve.py: wrk failed: " + result.stderr + result.stdout)
    requests, duration, errors, *latency = map(int, found[1].split())
    return {"rate": requests / duration * 1e6, "errors": errors, "p50_ms": latency[0] / 1e3, "p90_ms": latency[1] / 1e3,
            "p99_ms": latency[2] / 1e3, "max_ms": latency[3] / 1e3}


def main():
    args = arguments()
    lines = [line for line in pathlib.Path(args.text).read_text().splitlines() if line.strip()]
    start = time.time()
    subprocess.run([args.attune, "translate", "-m", args.model, "--cpu-threads", str(args.threads), "--beam-size", args.beam_size],
                   input="\n".join(lines), text=True, stdout=subprocess.DEVNULL, check=True)
    alone = len(lines) / (time.time() - start)
    print(f"{'attune translate':34} {alone:8.1f} sentences/s ({len(lines)} sentences)")
    with tempfile.TemporaryDirectory() as folder:
        bodies, script = pathlib.Path(folder) / "bodies", pathlib.Path(folder) / "post.lua"
        bodies.write_text("".join(json.dumps({"q": line, "source": args.source, "target": args.target}) + "\n" for line in lines))
        script.write_text(LUA % bodies)
        server = Server(args)
        wrk(server.address, script, args.connections, 2)
        many = wrk(server.address, script, args.connections, args.seconds)
        one = wrk(server.address, script, 1, args.seconds)
        for name, result in ((f"serve, {args.connections} connections", many), ("serve, one request at a time", one)):
            print(f"{name:34} {result['rate']:8.1f} sentences/s, p50 {result['p50_ms']:.1f} ms, p90 {result['p90_ms']:.1f} ms, "
                  f"p99 {result['p99_ms']:.1f} ms, {result['errors']} errors")
        print(f"serve / translate {many['rate'] / alone:.2f}; batching {many['rate'] / one['rate']:.2f} times; memory {server.memory():.0f} MB")
        deadline = time.time() + 60 * args.soak
        while time.time() < deadline:
            result = wrk(server.address, script, args.connections, 10)
            print(f"soak: {result['rate']:.1f} sentences/s, p99 {result['p99_ms']:.1f} ms, {result['errors']} errors, {server.memory():.1f} MB")
        sys.exit(server.stop())


if __name__ == "__main__":
    main()
