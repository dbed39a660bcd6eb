"""What must not bring `attune serve` down: changed files, clients that leave, logs that nobody reads, a stop in the middle of
work, too little of anything. usage: serve_endurance_test.py ATTUNE"""
import contextlib
import hashlib
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
import unittest

from serve_server import FOLDER, LONGEST, PROGRAM, Server, post_bytes, train, wait_until

HOURS = "a b c d e f g h\n" * 30000  # of work
ROOM = ("--char-limit", "1000000", "--body-limit", "1000000", "--queue-words", "100000000", "--queue-megabytes", "1000000",
        "--mini-batch-words", "50", "--beam-size", "12", "--time-limit", 10 * LONGEST)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def model_folder(folder):
    return next(path.parent for path in sorted(folder.rglob("weights.safetensors")))


class Files(unittest.TestCase):
    def test_a_model_can_be_written_over_while_it_is_served(self):
        folder = FOLDER / "over"
        shutil.copytree(model_folder(MODEL), folder)
        weights = folder / "weights.safetensors"
        good = weights.read_bytes()
        with Server(model=f"en-de={folder}") as server:
            for content in (b"", good[:5000], bytes(len(good)), os.urandom(len(good))):
                weights.write_bytes(content)  # in place, as cp does
                self.assertEqual(server.translate("a b c"), (200, {"translatedText": "c b a"}))
                self.assertEqual(server.translate("d e f", alternatives=2)[0], 200)
                status, _ = server.post("/v1/attend", {"q": "a b c", "source": "en", "target": "de"})
                self.assertEqual(status, 200)

    def test_damaged_weights_are_refused_with_a_sentence(self):
        folder = FOLDER / "damaged"
        shutil.copytree(model_folder(MODEL), folder)
        weights = folder / "weights.safetensors"
        good = bytearray(weights.read_bytes())
        with Server(model=f"en-de={folder}") as server:
            weights.write_bytes(good[:-4] + bytes([good[-4] ^ 1]) + good[-3:])
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("its content does not match its checksum; it is damaged, or another program is writing it; models, keys and "
                            "certificates stay as they were")
            self.assertEqual(server.translate("a b c"), (200, {"translatedText": "c b a"}))
        for verb in (["serve", "-m", f"en-de={folder}"], ["translate", "-m", folder]):
            result = subprocess.run([PROGRAM, *map(str, verb)], input="a\n", capture_output=True, text=True, timeout=LONGEST)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("does not match its checksum", result.stderr)

    def test_keys_and_certificates_are_loaded_again_or_stay(self):
        def make_certificate(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext",
                            "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], capture_output=True, check=True)
            return ssl.create_default_context(cadata=certificate.read_text())

        def status(context, api_key):
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=LONGEST, context=context)
            with contextlib.closing(connection):
                connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {api_key}"})
                return connection.getresponse().status

        def reload(message):
            before = server.messages().count(message)
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: server.messages().count(message) > before, server.messages)

        certificate, key, keys = FOLDER / "chain.pem", FOLDER / "private.pem", FOLDER / "reloaded-keys"
        sums = {name: f"{hashlib.sha256(name.encode()).hexdigest()} {name}\n" for name in ("eins", "zwei")}
        first = make_certificate("eins")
        keys.write_text(sums["eins"])
        with Server("--tls-certificate", certificate, "--tls-key", key, "--api-keys", keys, model=MODEL) as server:
            self.assertEqual((status(first, "eins"), status(first, "zwei")), (200, 403))
            keys.write_text(sums["zwei"])
            certificate.write_text("none")
            reload("stay as they were")
            self.assertEqual((status(first, "eins"), status(first, "zwei")), (200, 403))
            second = make_certificate("zwei")
            keys.write_text("nonsense\n")
            reload("stay as they were")
            self.assertEqual((status(first, "eins"), status(first, "zwei")), (200, 403))
            keys.write_text(sums["zwei"])
            reload("were reloaded")
            self.assertEqual((status(second, "eins"), status(second, "zwei")), (403, 200))
            with self.assertRaises(ssl.SSLError):
                status(first, "zwei")


class Clients(unittest.TestCase):
    def test_those_who_leave_take_their_work_with_them(self):
        with Server("--requests", "8", *ROOM, model=MODEL) as server:
            for leave in (reset, socket.socket.close):
                clients = [server.connect() for _ in range(40)]
                for client in clients:
                    client.sendall(post_bytes({"q": HOURS, "source": "en", "target": "de"}))
                wait_until(lambda: server.metric("attune_queue_sentences") > 0)
                self.assertEqual(server.request("GET", "/health")[0], 200)  # it waits for nobody
                for client in clients:
                    leave(client)
                wait_until(lambda: server.metric("attune_queue_sentences") == 0)
                self.assertEqual(server.translate("a b c"), (200, {"translatedText": "c b a"}))

    def test_a_log_that_nobody_reads_stops_nothing(self):
        out, into = os.pipe()
        with Server(model=MODEL, stdout=into) as server:
            os.close(into)
            path = b"/" + b"n" * 190
            many = (b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path) * 6000
            last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            with server.connect() as connection:
                threading.Thread(target=connection.sendall, args=(many + last,)).start()
                answer = b""
                while part := connection.recv(1 << 16):
                    answer += part
            self.assertEqual((answer.count(b"HTTP/1.1 404 "), answer.count(b"HTTP/1.1 200 ")), (6000, 1))
            self.assertEqual(server.translate("a b c"), (200, {"translatedText": "c b a"}))
            dropped = server.metric("attune_log_dropped_lines_total")
            self.assertGreater(dropped, 0)
            log = b""
            while b" lines were dropped here" not in log:  # what waits is taken, and then there is room again
                server.request("GET", "/health")
                log += os.read(out, 1 << 16)
            self.assertEqual(server.stop(), 0)
        os.close(out)

    def test_old_clients_get_no_chunks_and_streams_are_logged(self):
        with Server(model=MODEL) as server:
            body = json.dumps({"q": "a b c", "model": "en-de"})
            answer = server.raw(f"POST /v1/translate/stream HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                                .encode()).decode()
            head, text = answer.split("\r\n\r\n", 1)
            self.assertNotIn("Transfer-Encoding", head)
            self.assertRegex(head, r"\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n")
            self.assertTrue(text.startswith("data: {") and text.endswith("}\n\n"), text)
            server.wait_for_log(rf'"POST /v1/translate/stream" 200 {len(text.encode())} [\d.]+ms$')


class Stop(unittest.TestCase):
    def test_all_are_answered_or_told_within_its_time(self):
        with Server("--requests", "8", "--stop-time", "18", *ROOM, model=MODEL) as server:
            data = post_bytes({"q": HOURS, "source": "en", "target": "de"})
            stream = post_bytes({"q": HOURS, "source": "en", "target": "de"}, "/v1/translate/stream")
            clients = [server.connect() for _ in range(30)]
            clients[0].sendall(stream)
            wait_until(lambda: clients[0].recv(100, socket.MSG_PEEK))  # its first words
            for client in clients[1:]:
                client.sendall(data)
            wait_until(lambda: server.metric("attune_queue_sentences") > 0)
            start = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            statuses = [http_status(client) for client in clients]
            self.assertEqual((statuses[0], set(statuses[1:])), (200, {503}))
            self.assertEqual(server.process.wait(timeout=LONGEST), 0)
            self.assertLess(time.monotonic() - start, 60)

    def test_no_busy_connection_is_reset(self):
        for _ in range(4):
            self.stop_while_all_ask()

    def stop_while_all_ask(self):
        with Server(model=MODEL) as server:
            answers, failures, started = [], [], threading.Barrier(25)

            def ask():
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONGEST)
                    for number in range(10**6):
                        connection.request("POST", "/translate", json.dumps({"q": "a b", "source": "en", "target": "de"}),
                                           {"Content-Type": "application/json"})
                        response = connection.getresponse()
                        answers.append((response.status, response.read()))
                        if number == 0:
                            started.wait(LONGEST)
                        if response.headers["Connection"] == "close":
                            return
                except Exception as error:  # whatever a client may meet
                    failures.append(repr(error))

            threads = [threading.Thread(target=ask) for _ in range(24)]
            for thread in threads:
                thread.start()
            started.wait(LONGEST)
            server.process.send_signal(signal.SIGTERM)
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertEqual(set(answers), {(200, b'{"translatedText":"b a"}')})
            self.assertEqual(server.process.wait(timeout=LONGEST), 0)


def http_status(client):
    """Of an answer that comes as a whole."""
    answer = b""
    while part := client.recv(1 << 16):
        answer += part
    client.close()
    return int(answer.split()[1]) if answer else None


class TooLittle(unittest.TestCase):
    def test_without_threads_it_says_so_and_ends(self):
        for megabytes in (600, 1000, 2000, 4000):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            result = subprocess.run([PROGRAM, "serve", "-m", str(MODEL), "--port", "0", "--requests", "10000"], capture_output=True, text=True,
                                    timeout=LONGEST, preexec_fn=limit)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, r"^attune: .*(threads.*use fewer|out of memory|cannot )")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
        result = subprocess.run([PROGRAM, "translate", "-m", str(MODEL), "--cpu-threads", "500"], input="a b\n", capture_output=True, text=True,
                                timeout=LONGEST, preexec_fn=limit)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"^attune: (the system allows no more threads; use fewer|out of memory)")


class Memory(unittest.TestCase):
    def test_clients_cannot_make_it_hold_more_than_the_guide_says(self):
        """The bound of docs/serving.md for these options, and most of it is given back."""
        connections, body, megabytes, characters = 60, 100_000, 16, 4_000
        bound = connections * (body + (64 << 10)) + (megabytes << 20) + 2000 * characters
        with Server("--connections", connections, "--body-limit", body, "--queue-megabytes", megabytes, "--char-limit", characters,
                    "--queue-words", "10000000", "--time-limit", LONGEST, "--mini-batch-words", "256", model=MODEL) as server:
            server.translate("\n".join(["a b c d e f g h"] * 200), alternatives=2)
            before = server.memory()
            data = post_bytes({"q": "a\n" * (characters // 2), "source": "en", "target": "de", "alternatives": 3, "x": "y" * 90_000})
            self.assertLess(len(data), body)
            clients = [server.connect() for _ in range(connections - 2)]
            for client in clients:
                client.sendall(data[:-1])
            for client in clients:
                client.sendall(data[-1:])
            statuses = [int(client.makefile("rb").readline().split()[1]) for client in clients]
            self.assertIn(200, statuses)
            self.assertLessEqual(set(statuses), {200, 503})
            peak = server.peak_memory() - before
            self.assertLess(peak, bound)
            for client in clients:
                client.close()
            self.assertEqual(server.translate("a b c"), (200, {"translatedText": "c b a"}))
            wait_until(lambda: server.memory() - before < peak / 2, lambda: f"of {peak} bytes {server.memory() - before} were kept")


if __name__ == "__main__":
    MODEL = train("model", reverse=True)
    try:
        unittest.main()
    finally:
        shutil.rmtree(FOLDER)
