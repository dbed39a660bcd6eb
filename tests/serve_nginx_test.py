"""Two servers behind nginx as in docs/serving.md: one is killed under load. usage: serve_nginx_test.py ATTUNE"""
import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import shutil
import socket
import subprocess
import unittest

from serve_server import FOLDER, LONGEST, Server, train, wait_until

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def documented(servers, port):
    """The configuration of the guide, for these ports and without TLS."""
    text = (pathlib.Path(__file__).parent.parent / "docs/serving.md").read_text()
    http_part = re.search(r"```\n(upstream attune .*?)```", text, re.S)[1]
    for number, server in enumerate(servers, 1):
        http_part = http_part.replace(f"127.0.0.1:500{number}", f"127.0.0.1:{server.port}")
    http_part = http_part.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    temporary = "".join(f"{kind}_temp_path {FOLDER}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return (f"daemon off; worker_processes 1; pid {FOLDER}/nginx.pid; error_log {FOLDER}/nginx.log;\n"
            f"events {{}}\nhttp {{ access_log off;\n{temporary}{http_part}}}\n")


class Replicas(unittest.TestCase):
    @unittest.skipUnless(NGINX, "nginx is not installed (Debian: nginx-light)")
    def test_no_request_is_lost_when_a_server_is_killed(self):
        port = free_port()
        with Server("--behind-proxy", model=MODEL) as first, Server("--behind-proxy", model=MODEL) as second:
            configuration = FOLDER / "nginx.conf"
            configuration.write_text(documented([first, second], port))
            nginx = subprocess.Popen([NGINX, "-c", str(configuration), "-p", str(FOLDER)], stderr=subprocess.DEVNULL)
            try:
                def listening():
                    with contextlib.suppress(OSError):
                        socket.create_connection(("127.0.0.1", port)).close()
                        return True

                wait_until(listening)

                def ask(number):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
                    connection.request("POST", "/translate", json.dumps({"q": "a b c", "source": "en", "target": "de"}),
                                       {"Content-Type": "application/json"})
                    response = connection.getresponse()
                    body = response.read()
                    connection.close()
                    if number == 150:
                        second.process.kill()
                    return response.status, body

                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    results = list(pool.map(ask, range(400)))
                self.assertEqual(set(results), {(200, b'{"translatedText":"c b a"}')})
                first.wait_for_log('"POST /translate" 200')
                second.wait_for_log('"POST /translate" 200')
            finally:
                nginx.terminate()
                nginx.wait()


if __name__ == "__main__":
    MODEL = train("model", reverse=True)
    try:
        unittest.main()
    finally:
        shutil.rmtree(FOLDER)
