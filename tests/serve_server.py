"""A small model and a server of it, for the tests. The program is the first argument of the test."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv.pop(1)
LETTERS = "abcdefgh"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="attune-serve-"))


def train(name, reverse):
    """A model that writes letters backwards, or as they are."""
    rng = random.Random(1)
    lines = [" ".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 9))) for _ in range(1500)]
    (FOLDER / f"{name}.en").write_text("".join(f"{line}\n" for line in lines))
    (FOLDER / f"{name}.de").write_text("".join(f"{line[::-1] if reverse else line}\n" for line in lines))
    result = subprocess.run([PROGRAM, "train", "--type", "rnn", "--embedding", "32", "--hidden", "64", "--train-sets",
                             FOLDER / f"{name}.en", FOLDER / f"{name}.de", "--vocab-kind", "word", "--mini-batch-words", "500",
                             "--lr-warmup", "50u", "--learning-rate", "0.01", "--label-smoothing", "0", "--dropout", "0",
                             "--after", "150u", "--model", FOLDER / name], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return FOLDER / name


class Server:
    def __init__(self, *options, model):
        # The access log goes to a file, since nobody reads a pipe here; messages are read until it listens.
        self.log = tempfile.NamedTemporaryFile("r", dir=FOLDER, suffix=".log")
        self.errors = tempfile.NamedTemporaryFile("r", dir=FOLDER, suffix=".err")
        with open(self.log.name, "w") as out, open(self.errors.name, "w") as err:
            self.process = subprocess.Popen([PROGRAM, "serve", "-m", str(model), "--port", "0", "--cpu-threads", "1",
                                             *map(str, options)], stdout=out, stderr=err)
        deadline = time.time() + 60
        while not (found := re.search(r"listening at https?://127\.0\.0\.1:(\d+)\n", self.messages())):
            assert self.process.poll() is None and time.time() < deadline, self.messages()
            time.sleep(0.02)
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.errors.close()

    def messages(self):
        return pathlib.Path(self.errors.name).read_text()

    def access_log(self):
        return pathlib.Path(self.log.name).read_text()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def request(self, method, path, body=None, **headers):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def post(self, path, fields, **headers):
        status, _, body = self.request("POST", path, json.dumps(fields), Content_Type="application/json", **headers)
        return status, json.loads(body)

    def translate(self, text, **fields):
        return self.post("/translate", {"q": text, "source": "en", "target": "de", **fields})

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def raw(self, data):
        """All that comes back for these bytes."""
        with self.connect() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(65536):
                    answer += part
            return answer

    def status_of(self, data):
        answer = self.raw(data)
        return int(answer.split()[1]) if answer else None

    def memory(self):
        """Resident bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def post_bytes(fields, path="/translate", more=""):
    body = json.dumps(fields).encode()
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body
