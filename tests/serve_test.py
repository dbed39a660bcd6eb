"""`attune serve` as clients see it, kind ones and others. usage: serve_test.py ATTUNE"""
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import unittest
import urllib.parse

from serve_server import FOLDER, LETTERS, LONGEST, PROGRAM, Server, post_bytes, train, wait_until


class KindClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--cache", "1", model=MODEL)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_json_and_forms_are_translated(self):
        self.assertEqual(self.server.translate("a b c"), (200, {"translatedText": "c b a"}))
        self.assertEqual(self.server.translate(["a b", "d e f"]), (200, {"translatedText": ["b a", "f e d"]}))
        form = urllib.parse.urlencode({"q": "a b c", "source": "auto", "target": "de"})
        status, headers, body = self.server.request("POST", "/translate", form, Content_Type="application/x-www-form-urlencoded")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(json.loads(body)["translatedText"], "c b a")
        self.assertEqual(json.loads(body)["detectedLanguage"]["language"], "en")

    def test_a_model_may_write_the_language_that_it_reads(self):
        self.assertEqual(self.server.translate("a b c", target="en"), (200, {"translatedText": "a b c"}))
        with Server(model=f"en-en={MODEL}") as server:
            self.assertEqual(server.translate("a b c", target="en"), (200, {"translatedText": "c b a"}))
        with Server(model=f"und-und={MODEL}") as server:  # as one whose languages nobody names
            self.assertEqual(server.translate("a b c", source="und", target="und"), (200, {"translatedText": "c b a"}))

    def test_it_says_what_it_serves(self):
        for path in ("/languages", "/health", "/frontend/settings", "/spec", "/v1/models"):
            status, headers, body = self.server.request("GET", path)
            self.assertEqual((status, headers["X-Content-Type-Options"]), (200, "nosniff"), path)
            self.assertTrue(json.loads(body))
            head = self.server.request("HEAD", path)
            self.assertEqual((head[0], head[1]["Content-Length"], head[2]), (200, str(len(body.encode())), ""))
        status, result = self.server.post("/v1/translate", {"q": "a b", "source": "en", "target": "de", "n_best": 2})
        self.assertEqual(result["translations"][0]["sentences"][0]["outputs"][0]["tokens"], ["b", "a"])

    def test_a_connection_takes_many_requests_also_at_once(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=LONGEST)
        with contextlib.closing(connection):
            for text in ("a b", "c d", "e f"):
                connection.request("POST", "/translate", json.dumps({"q": text, "source": "en", "target": "de"}),
                                   {"Content-Type": "application/json"})
                self.assertEqual(json.loads(connection.getresponse().read())["translatedText"], text[::-1])
        answer = self.server.raw(b"".join(post_bytes({"q": text, "source": "en", "target": "de"}, more="Connection: close\r\n" * (text == "e f"))
                                          for text in ("a b", "c d", "e f")))
        self.assertEqual(re.findall(rb'"translatedText":"([^"]*)"', answer), [b"b a", b"d c", b"f e"])

    def test_chunks_and_a_client_that_asks_first(self):
        body = b'{"q": "a b", "source": "en", "target": "de"}'
        head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
        self.assertIn(b'"b a"', self.server.raw(head + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
        with self.server.connect() as connection:
            connection.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(body)
            self.assertIn(b'"b a"', connection.recv(10000))

    def test_tags_and_placeholders_go_with_their_words(self):
        for text, expected in (("a <b>c d</b> e", "e <b>d c</b> a"), ("<p>a <i>b</i></p><p>c</p>", "<p><i>b</i> a</p><p>c</p>"),
                               ("<h1>a b</h1><script>d < e</script>", "<h1>b a</h1><script>d < e</script>")):
            self.assertEqual(self.server.translate(text, format="html"), (200, {"translatedText": expected}))
        self.assertIn("{name}", self.server.translate("a {name} b")[1]["translatedText"])

    def test_a_translation_comes_word_by_word(self):
        status, headers, body = self.server.request("POST", "/v1/translate/stream", json.dumps({"q": "a b c", "model": "en-de"}),
                                                    Content_Type="application/json")
        self.assertEqual((status, headers["Content-Type"], headers["Transfer-Encoding"]), (200, "text/event-stream", "chunked"))
        events = [json.loads(event.removeprefix("data: ")) for event in body.strip().split("\n\n")]
        self.assertEqual(events.pop(), {"done": True, "text": "c b a"})
        self.assertEqual([event["text"] for event in events], ["c", " b", " a"])

    def test_many_at_once_get_their_own(self):
        rng = random.Random(3)
        texts = [" ".join(rng.sample(LETTERS, 5)) for _ in range(120)]
        alone = [self.server.translate(text)[1]["translatedText"] for text in texts[:10]]
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            together = list(pool.map(lambda text: self.server.translate(text), texts))
        self.assertEqual({status for status, _ in together}, {200})
        self.assertEqual([result["translatedText"] for _, result in together[:10]], alone)
        right = sum(result["translatedText"] == text[::-1] for text, (_, result) in zip(texts, together))
        self.assertGreater(right, 100)
        _, headers, metrics = self.server.request("GET", "/metrics")
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.assertGreaterEqual(float(re.search(r"^attune_cache_hits_total (\d+)", metrics, re.M)[1]), 10)
        self.assertRegex(metrics, r'(?m)^attune_request_seconds_bucket\{route="/translate",le="\+Inf"\} \d+$')

    def test_the_access_log_has_a_line_a_request(self):
        self.server.request("GET", "/nothing%0a?q=secret")
        self.server.wait_for_log(r'^127\.0\.0\.1 - \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] "GET /nothing%0a" 404 \d+ [\d.]+ms$')
        self.assertNotIn("secret", self.server.access_log())


class OtherClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--request-time", "3", "--body-limit", "20000", "--char-limit", "5000", model=MODEL)
        cls.descriptors = cls.server.descriptors()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def tearDown(self):
        """Whatever was sent: the server goes on."""
        self.assertEqual(self.server.translate("a b c"), (200, {"translatedText": "c b a"}))

    def test_what_is_no_request_gets_a_proper_status(self):
        head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for data, status in ((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400), (b"\0" * 1000 + b"\r\n\r\n", 400),
                             (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505), (b"GET /health HTTP/1.1\r\n\r\n", 400),
                             (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
                             (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * 20000 + b"\r\n\r\n", 431),
                             (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
                             (head + b"Content-Length: 1000000\r\n\r\n", 413), (b"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
                             (head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
                             (head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
                             (head + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415),
                             (head + b"Content-Length: 4\r\n\r\n\xff\xff\xff\xff", 400),
                             (head + b"Content-Length: 15000\r\n\r\n" + b"[" * 15000, 400),
                             (head + b"Content-Length: 15004\r\n\r\n" + b'{"q"' + b":[" * 7500, 400),
                             (b"GET /../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
                             (b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
                             (b"GET http://other/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), (b"DELETE /translate HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
                             (post_bytes({"q": "a " * 3000, "source": "en", "target": "de"}), 400)):
            self.assertEqual(self.server.status_of(data), status, data[:80])
        self.assertEqual(self.server.status_of(head + b"Content-Length: 5\r\n\r\n{}", end=True), 400)

    def test_what_follows_a_refused_request_is_not_read_as_another(self):
        smuggled = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 60\r\n\r\n{}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.assertEqual(self.server.raw(smuggled).count(b"HTTP/1.1 "), 1)

    def test_slow_clients_are_told_and_do_not_keep_others_waiting(self):
        with contextlib.ExitStack() as stack:
            slow = []
            for i in range(150):
                slow.append(stack.enter_context(self.server.connect()))
                slow[-1].sendall(post_bytes({"q": "a b"})[:20 + i % 60] if i % 2 else b"GET /health HT")
            self.assertEqual(self.server.translate("a b")[0], 200)
            for connection in slow:
                self.assertIn(b" 408 ", connection.recv(1000))

    def test_100000_connections_opened_and_dropped_leave_nothing_behind(self):
        data = post_bytes({"q": "a b c d", "source": "en", "target": "de"})
        rng = random.Random(2)

        def storm(count):
            for _ in range(count):
                connection = self.server.connect()
                if rng.random() < 0.5:  # closed with a reset
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                with contextlib.suppress(OSError):
                    connection.sendall(data[:rng.randint(0, len(data))])
                connection.close()

        def settled():
            wait_until(lambda: self.server.descriptors() <= self.descriptors)

        storm(5_000)
        settled()
        memory = self.server.memory()
        storm(95_000)
        settled()
        self.assertLess(self.server.memory() - memory, 8 << 20)

    def test_random_bytes(self):
        rng = random.Random(4)
        whole = post_bytes({"q": "a b c", "source": "en", "target": "de"}, more="Transfer-Encoding: x\r\n")
        for _ in range(200):
            data = bytearray(whole)
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            self.assertIn(self.server.status_of(bytes(data), end=True), {None, 200, 400, 403, 404, 405, 413, 415, 421, 431, 501, 503, 505}, data)

    def test_a_client_that_never_reads_is_given_up(self):
        with self.server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.setblocking(False)
            request = b"GET /spec HTTP/1.1\r\nHost: localhost\r\n\r\n"
            with contextlib.suppress(BlockingIOError):
                for _ in range(20000):
                    connection.send(request)
            self.assertEqual(self.server.translate("a b")[0], 200)


class Doors(unittest.TestCase):
    def test_keys_rates_and_no_root_needed(self):
        keys = FOLDER / "keys"
        keys.write_text(f"{hashlib.sha256(b'sesame').hexdigest()} ali 1000\n")
        with Server("--api-keys", keys, "--rate", "2", model=MODEL) as server:
            self.assertEqual(server.translate("a b", api_key="sesame"), (200, {"translatedText": "b a"}))
            self.assertEqual(server.translate("a b", api_key="wrong"), (403, {"error": "Invalid API key"}))
            self.assertEqual([server.translate("a b")[0] for _ in range(3)], [403] + [429] * 2)
            self.assertEqual(server.post("/translate", {"q": "a b", "source": "en", "target": "de"}, Authorization="Bearer sesame")[0], 200)
            server.wait_for_log(r"^127\.0\.0\.1 ali \[")
            self.assertNotIn("sesame", server.access_log())

    def test_tls(self):
        certificate, key = FOLDER / "cert.pem", FOLDER / "key.pem"
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        with Server("--tls-certificate", certificate, "--tls-key", key, model=MODEL) as server:
            context = ssl.create_default_context(cafile=certificate)
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=LONGEST, context=context)
            with contextlib.closing(connection):
                for text in ("a b", "c d", "a b\n" * 1500):
                    connection.request("POST", "/translate", json.dumps({"q": text, "source": "en", "target": "de"}),
                                       {"Content-Type": "application/json"})
                    response = connection.getresponse()
                    body = json.loads(response.read())
                    self.assertEqual(response.status, 200, body)
                self.assertEqual(body["translatedText"], "b a\n" * 1500)
            for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01" + b"\xff" * 500):
                self.assertNotIn(b"HTTP/1.1 ", server.raw(data))
            self.assertEqual(server.stop(), 0)

    def test_wrong_use_is_refused(self):
        bare = FOLDER / "bare"
        shutil.copytree(MODEL / "last" if (MODEL / "last").exists() else next(MODEL.glob("best-*")), bare)
        config = json.loads((bare / "config.json").read_text())
        config["training"]["train_sets"] = ["corpus.tsv"]
        (bare / "config.json").write_text(json.dumps(config))
        for arguments, message in ((["-m", FOLDER / "none"], "there is no such model folder"),
                                   (["-m", bare, "-m", bare, "-m", bare], "there is another model called bare:bare"),
                                   (["-m", f"en={bare}"], "it should look like en-de=FOLDER"),
                                   (["-m", MODEL, "-m", MODEL, "-m", MODEL], f"there is another model called en-de:{MODEL.name}"),
                                   (["-m", MODEL, "--runs", bare], "this is not the folder of a training run"),
                                   (["-m", MODEL, "--host", "256.1.1.1"], "256.1.1.1"),
                                   (["-m", MODEL, "--tls-key", "x"], "belong together"),
                                   (["-m", MODEL, "--api-keys", MODEL / "none"], "none"),
                                   (["-m", MODEL, "--prot", "1"], "did you mean '--port'?")):
            result = subprocess.run([PROGRAM, "serve", *map(str, arguments)], capture_output=True, text=True, timeout=LONGEST)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertIn(message, result.stderr)
        with Server(model=MODEL) as server:
            result = subprocess.run([PROGRAM, "serve", "-m", MODEL, "--port", str(server.port)], capture_output=True, text=True, timeout=LONGEST)
            self.assertEqual(result.returncode, 2)
            self.assertIn("another program uses it: choose another with --port", result.stderr)


class Load(unittest.TestCase):
    def test_a_full_queue_says_when_to_come_back(self):
        with Server("--queue-words", "300", "--mini-batch-words", "50", "--char-limit", "1000000", "--body-limit", "1000000",
                    "--queue-megabytes", "1000000", "--time-limit", LONGEST, "--beam-size", "12", model=MODEL) as server:
            with server.connect() as long:
                long.sendall(post_bytes({"q": "a b c d e f g h\n" * 50000, "source": "en", "target": "de"}))
                wait_until(lambda: server.metric("attune_queue_tokens") > 300)
                status, headers, body = server.request("POST", "/translate", json.dumps({"q": "a b", "source": "en", "target": "de"}),
                                                       Content_Type="application/json")
                self.assertEqual(status, 503, body)
                self.assertGreater(int(headers["Retry-After"]), 0)
                self.assertIn("try again later", json.loads(body)["error"])
            wait_until(lambda: server.metric("attune_queue_tokens") == 0)  # it has left
            self.assertEqual(server.translate("a b")[0], 200)

    def test_a_request_that_takes_too_long_ends(self):
        with Server("--time-limit", "0.05", "--char-limit", "1000000", "--body-limit", "1000000", "--beam-size", "12", "--mini-batch-words", "200", model=MODEL) as server:
            status, result = server.translate("\n".join(["a b c d e f g h"] * 20000))
            self.assertEqual((status, result["error"][:30]), (503, "the translation took too long;"))

    def test_a_reload_drops_nothing(self):
        folder = FOLDER / "changing"
        shutil.copytree(MODEL, folder)
        with Server(model=f"en-de={folder}") as server:
            results, done = [], threading.Event()

            def ask():
                while not done.is_set():
                    results.append(server.translate("a b c"))

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            wait_until(lambda: results)
            other = train("other", reverse=False)
            shutil.rmtree(folder)
            server.process.send_signal(signal.SIGHUP)  # nothing is there: all stays
            server.wait_for("models, keys and certificates stay as they were")
            shutil.copytree(other, folder)
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("models, keys and certificates were reloaded")
            self.assertEqual(server.translate("a b c")[1], {"translatedText": "a b c"})
            wait_until(lambda: results[-1][1] == {"translatedText": "a b c"})
            done.set()
            for thread in threads:
                thread.join()
            self.assertEqual({status for status, _ in results}, {200})
            self.assertEqual({result["translatedText"] for _, result in results}, {"c b a", "a b c"})

    def test_an_answer_has_its_limit_in_bytes_and_memory(self):
        def peak():
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

        limit = 2 << 20
        with Server("--answer-limit", "2", "--char-limit", "100000", model=MODEL) as server:
            fields = {"source": "en", "target": "de", "n_best": 4, "alignment": True}
            server.post("/v1/translate", fields | {"q": "a b c"})
            before = peak()
            for text in (" ".join(["a"] * 5000), "\n".join(["a b c d e f g h"] * 2000)):
                status, result = server.post("/v1/translate", fields | {"q": text})
                self.assertEqual((status, "longer than 2097152 bytes" in result["error"]), (400, True), result)
            self.assertLess(peak() - before, limit)
            text = "\n".join(["a b c d e f g h"] * 170)
            status, _, body = server.request("POST", "/v1/translate", json.dumps(fields | {"q": text}), Content_Type="application/json")
            self.assertEqual(status, 200, body[:200])
            self.assertLessEqual(len(body), limit)
            self.assertLess(peak() - before, 3 * limit)

    def test_a_stop_finishes_what_is_under_way_and_refuses_the_rest(self):
        with Server("--mini-batch-words", "20", "--char-limit", "100000", "--stop-time", 6 * LONGEST, "--time-limit", LONGEST, model=MODEL) as server:
            idle = server.connect()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                under_way = [pool.submit(server.translate, "\n".join(["a b c"] * 2000)) for _ in range(4)]
                wait_until(lambda: server.metric("attune_queue_sentences") > 6000)  # all four have come
                server.process.send_signal(signal.SIGTERM)
                server.wait_for("stopping")

                def closed():
                    with contextlib.suppress(ConnectionResetError):
                        try:
                            server.connect().close()
                        except ConnectionRefusedError:
                            return True
                    return False

                wait_until(closed)
                for future in under_way:
                    status, result = future.result()
                    self.assertEqual((status, result["translatedText"].count("\n")), (200, 1999))
            self.assertEqual(idle.recv(10), b"")
            idle.close()
            self.assertEqual(server.process.wait(timeout=LONGEST), 0)


if __name__ == "__main__":
    MODEL = train("model", reverse=True)
    try:
        unittest.main()
    finally:
        shutil.rmtree(FOLDER)
