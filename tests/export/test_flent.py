"""Flent opens our files."""

import gzip
import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def file(lossy, tmp_path_factory):
    (path,) = lossy.export("flent", tmp_path_factory.mktemp("flent"))
    assert path.name == "lossy-seed1.flent.gz"
    return path


def flent(*arguments):
    pytest.importorskip("flent", reason="Flent is not installed; requirements/test.txt has it")
    done = subprocess.run([sys.executable, "-m", "flent", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower(), done.stderr
    return done.stdout


def test_the_summary(file, lossy):
    out = flent("-i", file, "-f", "summary")
    means = {
        line.split(":  ")[0].strip(): float(line.split(":  ")[1].split()[0])
        for line in out.splitlines()
        if ":  " in line and "Title" not in line
    }
    assert set(means) >= {"TCP upload::1", "TCP upload::2", "TCP upload sum", "TCP upload fairness", "Ping (ms) ICMP"}
    goodputs = dict(zip(lossy.flows["algorithm"], lossy.flows["goodput_mbps"], strict=True))
    assert means["TCP upload::1"] == pytest.approx(goodputs["cubic"], abs=0.006)  # two digits are printed
    assert 20 < means["Ping (ms) ICMP"] < 35


@pytest.mark.parametrize("plot", ["totals", "upload_with_ping_and_tcp_rtt", "tcp_delivery_with_rtt", "bar_fairness"])
def test_plots(file, tmp_path, plot):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    flent("-i", file, "-p", plot, "-f", "plot", "-o", picture)
    assert picture.stat().st_size > 10_000


def test_the_numbers_are_ours(file, lossy):
    document = json.loads(gzip.decompress(file.read_bytes()))
    assert document["version"] == 4
    series = lossy.series("flow", ["mbps"], algorithm="bbr")
    rates = document["results"]["TCP upload::2"]
    assert rates[:5] == [None] * 5  # it had not started
    assert [rate for rate in rates if rate is not None] == pytest.approx(series["mbps"].to_list())
    total = [sum(filter(None, pair)) for pair in zip(rates, document["results"]["TCP upload::1"], strict=True)]
    assert document["results"]["TCP upload sum"] == pytest.approx(total)


def test_the_same_results_give_the_same_file(file, lossy, tmp_path):
    (again,) = lossy.export("flent", tmp_path / file.name)
    assert again.read_bytes() == file.read_bytes()
