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
                             "--after", "150u", "--model", FOLDER / name], capture_output=True, text=True, timeout=LONGEST)
    assert result.returncode == 0, result.stderr
    return FOLDER / name


LONGEST = 300  # seconds that anything here may take, on a machine that is busy with other things


def wait_until(holds, what=lambda: ""):
    """Looks again and again; only something that never comes fails."""
    deadline = time.monotonic() + LONGEST
    while not (found := holds()):
        assert time.monotonic() < deadline, what()
        time.sleep(0.02)
    return found


class Server:
    def __init__(self, *options, model, stdout=None):
        # The access log goes to a file, unless somebody reads it; messages are read until it listens.
        self.log = tempfile.NamedTemporaryFile("r", dir=FOLDER, suffix=".log")
        self.errors = tempfile.NamedTemporaryFile("r", dir=FOLDER, suffix=".err")
        with open(self.log.name, "w") as out, open(self.errors.name, "w") as err:
            self.process = subprocess.Popen([PROGRAM, "serve", "-m", str(model), "--port", "0", "--cpu-threads", "1",
                                             *map(str, options)], stdout=stdout or out, stderr=err)

        def listening():
            assert self.process.poll() is None, self.messages()
            return re.search(r"listening at https?://127\.0\.0\.1:(\d+)\n", self.messages())

        self.port = int(wait_until(listening, self.messages)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.errors.close()

    def messages(self):
        return pathlib.Path(self.errors.name).read_text()

    def wait_for(self, message):
        wait_until(lambda: message in self.messages(), self.messages)

    def access_log(self):
        return pathlib.Path(self.log.name).read_text()

    def wait_for_log(self, pattern):
        """A thread writes it, some time after the answer."""
        wait_until(lambda: re.search(pattern, self.access_log(), re.M), self.access_log)

    def metric(self, name):
        return float(re.search(rf"^{name} ([\d.e+]+)$", self.request("GET", "/metrics")[2], re.M)[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=LONGEST)

    def request(self, method, path, body=None, **headers):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
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
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST)

    def raw(self, data):
        """All that comes back for these bytes until the server closes; the last request should ask it to."""
        with self.connect() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(data)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(65536):
                    answer += part
            return answer

    def status_of(self, data, end=False):
        """The first answer's status; with `end` nothing follows the bytes."""
        with self.connect() as connection, contextlib.suppress(OSError):
            with contextlib.suppress(OSError):
                connection.sendall(data)
                if end:
                    connection.shutdown(socket.SHUT_WR)
            line = connection.makefile("rb").readline()
            return int(line.split()[1]) if line else None

    def memory(self):
        """Resident bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def peak_memory(self):
        """The most resident bytes that there ever were."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10


def post_bytes(fields, path="/translate", more=""):
    body = json.dumps(fields).encode()
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body
