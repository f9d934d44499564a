"""`fairlane live`: its server and the scenes that it opens."""

import shutil
import socket
import struct
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from fairlane.show import live

HERE = Path(__file__).parent
SCENE = """
duration = "20s"
seed = 3
[network]
rate = "20mbit"
rtt = "40ms"
buffer = "50p"
queue = { kind = "codel", target = "8ms" }
loss = "1%"
[[flows]]
algorithm = "cubic"
rtt = "80ms"
[[flows]]
algorithm = "bbr"
parameters = { bw_window = 8 }
start = "2s"
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "index.html").write_text("<title>page</title>")
    (tmp_path / "engine.wasm").write_bytes(b"\0asm")
    (tmp_path / "assets").mkdir()
    monkeypatch.setattr(live, "page_folder", lambda: tmp_path)
    serving = live.server(0)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_address[1]}"
    serving.shutdown()
    serving.server_close()


def test_the_server_has_the_files_and_nothing_else(page):
    with urllib.request.urlopen(page) as answer:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
    with urllib.request.urlopen(f"{page}/engine.wasm") as answer:
        assert answer.headers["content-type"] == "application/wasm"
    for path in ("assets/", "../pyproject.toml", "%2e%2e/pyproject.toml"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{page}/{path}")


def test_odd_requests_and_clients_that_leave_print_nothing(page, capfd):
    port = int(page.rpartition(":")[2])
    for request in (b"GET /%00 HTTP/1.0\r\n\r\n", b"GET /engine.wasm%00.html HTTP/1.0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request)
            assert client.recv(100) == b""
    for _ in range(3):
        client = socket.create_connection(("127.0.0.1", port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sendall(b"GET /")
        client.close()  # by a reset
    with urllib.request.urlopen(page) as answer:
        assert answer.status == 200
    assert capfd.readouterr().err == ""


def test_an_experiment_of_one_bottleneck_becomes_a_scene(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE)
    assert live.scene_of(file) == (
        "flows=cubic%20bbr:bw_window=8&rate=20mbit&rtt=80ms,40ms&buffer=50p&queue=codel:target=8ms&loss=1%25"
        "&start=0s,2s&workload=bulk,bulk&time=20s&seed=3"
    )


def test_changes_of_the_rate_and_traces_are_part_of_a_scene(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.replace('loss = "1%"', 'changes = [{ at = "5s", rate = "10mbit" }]'))
    assert live.scene_of(file).endswith("&changes=5s:rate_bps=10000000")
    file.write_text(SCENE.replace('rate = "20mbit"', 'trace = "starlink"'))
    assert "&trace=starlink&rtt=80ms,40ms&" in live.scene_of(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('rtt = "40ms"', 'topology = "parking_lot"\nhops = 2\nhop_delay = "5ms"', "not one bottleneck"),
        ('"cubic"', '"./mine.c"', "bundled algorithms only"),
        ('loss = "1%"', 'changes = [{ at = "5s", loss = "1%" }]', "changes more than a rate"),
        ('loss = "1%"', "changes = []\n[[sweep.product]]\nseed = [1, 2]", "sweep"),
    ],
)
def test_what_the_page_cannot_show_is_one_line(cli, tmp_path, monkeypatch, old, new, message):
    monkeypatch.chdir(tmp_path)
    shutil.copy(HERE / "mine.c", "mine.c")
    Path("scene.toml").write_text(SCENE.replace(old, new))
    done = cli("live", "--open", "scene.toml", "--no-browser")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err


def test_without_the_page_it_says_how_to_build_it(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(live, "data_folder", lambda name: tmp_path / name)
    done = cli("live", "--no-browser")
    assert done.status == 1
    assert "make web" in done.err
