"""Small hosts on one machine: network namespaces with addresses and host names of their own, joined by links (veth)
whose rate and delay are set (tc). Needs root and iproute2.

As a program it is what mpirun calls instead of ssh: mpi_hosts.py HOST COMMAND...
"""
import os
import pathlib
import subprocess
import sys

NET = "10.213.77"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def inside(host):
    """The beginning of a command that runs on a host; the rest is for the shell."""
    return ["ip", "netns", "exec", host, "unshare", "--uts", "sh", "-c", f"hostname {host}; exec \"$@\"", "sh"]


class Hosts:
    def __init__(self, count, gbit, delay):
        self.names = [f"attune{i}" for i in range(count)]
        self.gbit, self.delay = gbit, delay
        self.hosts_file = pathlib.Path(f"/tmp/attune-hosts-{os.getpid()}")

    def __enter__(self):
        self.remove()
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def make(self):
        ip("link", "add", "attune-switch", "type", "bridge")
        ip("link", "set", "attune-switch", "up")
        for i, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("link", "add", f"{name}-out", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", f"{name}-out", "master", "attune-switch", "up")
            ip("-n", name, "addr", "add", f"{NET}.{i + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "set", "eth0", "up")
            tc = lambda *words: subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", "eth0", *words], check=True)
            tc("root", "handle", "1:", "tbf", "rate", f"{self.gbit}gbit", "burst", "256kb", "latency", "50ms")
            if self.delay > 0:
                tc("parent", "1:", "netem", "delay", f"{self.delay}us", "limit", "100000")
            where = pathlib.Path("/etc/netns") / name
            where.mkdir(parents=True, exist_ok=True)
            (where / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
                f"{NET}.{j + 1} {other}\n" for j, other in enumerate(self.names)))
        self.hosts_file.write_text("".join(f"{name} slots=1\n" for name in self.names))

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        quiet = {"stderr": subprocess.DEVNULL}
        for name in self.names:
            subprocess.run(["ip", "link", "del", f"{name}-out"], **quiet)  # what still runs there keeps a host alive
            subprocess.run(["ip", "netns", "del", name], **quiet)
            subprocess.run(["rm", "-rf", f"/etc/netns/{name}"])
        subprocess.run(["ip", "link", "del", "attune-switch"], **quiet)
        self.hosts_file.unlink(missing_ok=True)

    def cut_off(self, number):
        """Nothing reaches the host any more."""
        ip("link", "set", f"{self.names[number]}-out", "down")

    def launcher(self):
        agent = pathlib.Path(__file__).resolve()
        network = f"{NET}.0/24"
        return [*inside(self.names[0]), "mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", str(len(self.names)),
                "--hostfile", str(self.hosts_file), "--mca", "plm_rsh_agent", f"{sys.executable} {agent}",
                "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network,
                # mpirun itself gives up a host after 11 seconds, not after 5 minutes
                "--mca", "oob_tcp_keepalive_time", "5", "--mca", "oob_tcp_keepalive_intvl", "2", "--mca", "oob_tcp_keepalive_probes", "3"]


if __name__ == "__main__":
    host, command = sys.argv[1], sys.argv[2:]
    os.execvp("ip", [*inside(host), "sh", "-c", " ".join(command)])
