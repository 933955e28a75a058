"""Debian's ClickHouse (18.16) and ZooKeeper as a cluster on this machine: two shards of two replicas, three keepers.

Packages are fetched by name with apt and unpacked into the cache folder; nothing is installed. Everything listens on 127.0.0.1 only.
"""
import os
import re
import shutil
import socket
import subprocess
import time

from cluster_balancer import ask
from common import cache, locked, skip

SERVER = "clickhouse-server"
JAVA = "default-jre-headless"
JARS = ["libzookeeper-java", "libslf4j-java", "libdropwizard-metrics-java", "libsnappy-java"]
CLASS_PATH = ["zookeeper.jar", "zookeeper-jute.jar", "slf4j-api.jar", "slf4j-simple.jar", "metrics-core.jar", "snappy-java.jar"]
CLUSTER, DATABASE, USER, PASSWORD = "annals", "annals", "annals", "pass"
KEEPERS, SHARDS, REPLICAS = 3, 2, 2
PATIENCE = 180


def missing_packages(wanted):
    """What of these, and of what they need, is not on this machine."""
    run = subprocess.run(["apt-get", "-s", "install", "--no-install-recommends", *wanted], capture_output=True, text=True)
    if run.returncode != 0:
        skip(f"no cluster: {' '.join(wanted)} cannot be had by apt: {run.stderr.strip().splitlines()[-1:]}")
    return re.findall(r"(?m)^Inst (\S+)", run.stdout)


def installed():
    """The folder with the unpacked packages."""
    folder = cache("cluster")
    root, mark = os.path.join(folder, "root"), os.path.join(folder, "complete")
    with locked(folder):
        if os.path.exists(mark):
            return root
        if not shutil.which("apt-get") or not shutil.which("dpkg"):
            skip("no cluster: its packages are Debian's, and there is no apt-get here")
        names = missing_packages([SERVER, *([] if shutil.which("java") else [JAVA])])
        packages = os.path.join(folder, "packages")
        for path in (root, packages):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        run = subprocess.run(["apt-get", "download", "-q", *names, *JARS], cwd=packages, capture_output=True, text=True)
        if run.returncode != 0:
            skip(f"no cluster: packages cannot be fetched: {run.stderr.strip().splitlines()[-1:]}")
        for name in sorted(os.listdir(packages)):
            subprocess.run(["dpkg", "-x", os.path.join(packages, name), root], check=True)
        point_inside(root)
        shutil.rmtree(packages)
        open(mark, "w").close()
    return root


def point_inside(root):
    """Links of packages name absolute paths; what was unpacked with them is below the folder."""
    for base, folders, files in os.walk(root):
        for path in (os.path.join(base, name) for name in [*folders, *files]):
            target = os.readlink(path) if os.path.islink(path) else ""
            if target.startswith("/") and os.path.lexists(root + target):
                os.remove(path)
                os.symlink(root + target, path)


def java(root):
    found = shutil.which("java")
    if found:
        return found
    for base, _, files in os.walk(os.path.join(root, "usr", "lib", "jvm")):
        if "java" in files:
            return os.path.join(base, "java")
    skip("no cluster: there is no java")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Node:
    """A process that can be killed and started again over its folder."""

    def __init__(self, folder, command, environment=None):
        self.folder, self.command, self.environment, self.process = folder, command, environment, None

    def start(self):
        with open(os.path.join(self.folder, "output"), "ab") as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=self.folder, env=self.environment)

    def kill(self):
        """kill -9"""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Cluster:
    def __init__(self, folder, root):
        ports = free_ports(KEEPERS * 3 + SHARDS * REPLICAS * 3)
        self.keeper_ports, peers, own = ports[:KEEPERS], ports[KEEPERS:KEEPERS * 3], ports[KEEPERS * 3:]
        self.keepers = [self.keeper(folder, root, number, peers) for number in range(KEEPERS)]
        places = [(shard, replica) for shard in range(SHARDS) for replica in range(REPLICAS)]
        self.ports = {place: own[at * 3:at * 3 + 3] for at, place in enumerate(places)}
        self.servers = {place: self.server(folder, root, place) for place in places}

    def keeper(self, folder, root, number, peers):
        path = os.path.join(folder, f"keeper{number}")
        os.makedirs(path)
        write(path, "myid", str(number))
        lines = ["tickTime=500", "initLimit=20", "syncLimit=10", f"dataDir={path}", f"clientPort={self.keeper_ports[number]}", "clientPortAddress=127.0.0.1",
                 "admin.enableServer=false", "4lw.commands.whitelist=srvr"]
        lines += [f"server.{one}=127.0.0.1:{peers[one * 2]}:{peers[one * 2 + 1]}" for one in range(KEEPERS)]
        write(path, "zoo.cfg", "\n".join(lines) + "\n")
        jars = ":".join(os.path.join(root, "usr", "share", "java", name) for name in CLASS_PATH)
        # Nothing is ever optimised much: a keeper runs for a minute.
        command = [java(root), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", jars,
                   "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg"]
        return Node(path, command)

    def let_rewrite(self):
        """Starts the servers again so that they write parts again, which is how rows are removed; what they have replaced goes at once."""
        for node in self.servers.values():
            node.kill()
            path = os.path.join(node.folder, "config.xml")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            rewriting = "<old_parts_lifetime>1</old_parts_lifetime><cleanup_delay_period>1</cleanup_delay_period><cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>"
            write(node.folder, "config.xml", re.sub(r"<merge_tree>.*</merge_tree>", f"<merge_tree>{rewriting}</merge_tree>", text))
            node.start()
        for place in self.servers:
            self.wait_for_server(place)
        self.wait_until_equal()

    def server(self, folder, root, place):
        shard, replica = place
        path = os.path.join(folder, f"server{shard}{replica}")
        os.makedirs(path)
        http, tcp, interserver = self.ports[place]
        keepers = "".join(f"<node><host>127.0.0.1</host><port>{port}</port></node>" for port in self.keeper_ports)
        shards = "".join("<shard><internal_replication>true</internal_replication>" + "".join(
            f"<replica><host>127.0.0.1</host><port>{self.ports[one, other][1]}</port></replica>" for other in range(REPLICAS)) + "</shard>" for one in range(SHARDS))
        # Merges would hide rows that are there twice.
        write(path, "config.xml", f"""<yandex><logger><level>error</level><log>{path}/log</log><errorlog>{path}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{interserver}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host><path>{path}/data/</path><tmp_path>{path}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>
<merge_tree><max_replicated_merges_in_queue>0</max_replicated_merges_in_queue><max_bytes_to_merge_at_max_space_in_pool>1</max_bytes_to_merge_at_max_space_in_pool></merge_tree>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
<zookeeper>{keepers}<session_timeout_ms>6000</session_timeout_ms></zookeeper><macros><shard>{shard}</shard><replica>{replica}</replica></macros>
<remote_servers><{CLUSTER}>{shards}</{CLUSTER}></remote_servers></yandex>""")
        login = "<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>"
        write(path, "users.xml", f"""<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>{login}</default>
<{USER}><password>{PASSWORD}</password>{login}</{USER}></users></yandex>""")
        libraries = [os.path.join(root, *parts, "x86_64-linux-gnu") for parts in (("usr", "lib"), ("lib",))]
        return Node(path, [os.path.join(root, "usr", "sbin", SERVER), "--config-file=config.xml"], {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)})

    def http_ports(self):
        return [ports[0] for ports in self.ports.values()]

    def start(self):
        for keeper in self.keepers:
            keeper.start()
        wait_for("the keepers", lambda: all(self.role(number) for number in range(KEEPERS)))
        for node in self.servers.values():
            node.start()
        for place in self.servers:
            self.wait_for_server(place)

    def end(self):
        for node in [*self.servers.values(), *self.keepers]:
            node.kill()

    def role(self, number):
        """Whether a keeper leads or follows; None if it does neither."""
        try:
            with socket.create_connection(("127.0.0.1", self.keeper_ports[number]), timeout=5) as connection:
                connection.sendall(b"srvr")
                found = re.search(rb"Mode: (\w+)", connection.makefile("rb").read())
                return found and found.group(1).decode()
        except OSError:
            return None

    def leader(self):
        return next((number for number in range(KEEPERS) if self.role(number) == "leader"), 0)

    def start_keeper(self, number):
        self.keepers[number].start()
        wait_for("a keeper", lambda: self.role(number))

    def wait_for_server(self, place):
        wait_for(f"server {place}", lambda: answers(self.ports[place][0]))

    def start_server(self, place):
        self.servers[place].start()
        self.wait_for_server(place)

    def wait_until_equal(self):
        """Until each replica has what the others have."""
        def is_equal():
            # A replica that was away has first to learn what there is to do.
            question = ("SELECT sum(queue_size) + countIf(log_max_index > 0 AND log_pointer <= log_max_index) AS waiting, max(is_readonly) AS readonly "
                        f"FROM system.replicas WHERE database = '{DATABASE}'")
            return all(int(row["waiting"]) == 0 and int(row["readonly"]) == 0 for port in self.http_ports() for row in ask(port, question))
        wait_for("the replicas", is_equal)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def answers(port):
    try:
        return bool(ask(port, "SELECT 1 AS one"))
    except OSError:
        return False


def wait_for(what, is_there):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if is_there():
                return
        except OSError:
            pass
        if time.monotonic() > end:
            raise SystemExit(f"{what} did not come within {PATIENCE} s")
        time.sleep(0.2)
