"""Damaged files, a full disk, runs that fail: one clear line each, and the others go on."""

import os
import resource
import tempfile
from pathlib import Path

import fairlane
import pytest
from fairlane.results.store.store import Store

CRASH = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
char _license[] SEC("license") = "Dual MIT/GPL";
SEC("struct_ops/crash_ssthresh") __u32 BPF_PROG(crash_ssthresh, struct sock *sk) { return *(volatile __u32 *)0; }
SEC("struct_ops/crash_cong_avoid") void BPF_PROG(crash_cong_avoid, struct sock *sk, __u32 ack, __u32 acked) {
    struct tcp_sock *tp = (struct tcp_sock *)sk; tp->snd_cwnd = tp->snd_cwnd + acked; }
SEC("struct_ops/crash_undo_cwnd") __u32 BPF_PROG(crash_undo_cwnd, struct sock *sk) {
    return ((struct tcp_sock *)sk)->snd_cwnd; }
SEC(".struct_ops") struct tcp_congestion_ops crash = {
    .ssthresh = (void *)crash_ssthresh, .cong_avoid = (void *)crash_cong_avoid,
    .undo_cwnd = (void *)crash_undo_cwnd, .name = "crash" };
"""


@pytest.fixture
def run(cli, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: cli("run", *arguments)


def test_a_run_that_fails_is_named_and_the_others_go_on(run, experiment, tmp_path):
    (tmp_path / "crash.c").write_text(CRASH)
    path = experiment(1, more="").read_text().replace('["reno", "bbr"]', '["reno", "crash.c"]')
    (tmp_path / "small.toml").write_text(path)
    outcome = run("small.toml")
    assert outcome.status == 1
    assert "3 computed, 3 failed" in outcome.out
    assert "same command" in outcome.err
    assert "crash" in outcome.err
    assert fairlane.open("results/small").runs.height == 3


@pytest.mark.parametrize("name", ["flows.parquet", "link_series.parquet", "manifest.json"])
def test_a_damaged_file_is_named_and_its_runs_are_computed_again(run, experiment, name):
    path = experiment()
    assert run(path).status == 0
    before = fairlane.open("results/small").flows.sort("run", "flow")
    folder = next(iter(Store.at(fairlane.open("results/small").path).batches.values())).folder
    (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    outcome = run(path)
    assert outcome.status == 0
    assert outcome.err.count("\n") == 1
    assert str(folder) in outcome.err
    assert "computed again" in outcome.err
    assert fairlane.open("results/small").flows.sort("run", "flow").equals(before)


def test_a_report_names_damage(run, cli, experiment):
    assert run(experiment()).status == 0
    for found in Store.at(Path("results/small")).batches.values():  # a report reads the samples of a few runs
        (found.folder / "flow_series.parquet").write_bytes(b"nothing")
    outcome = cli("report", "results/small")
    assert outcome.status == 0
    for text in (outcome.err, Path("results/small/report.html").read_text()):
        assert "flow_series.parquet has 7 bytes" in text


def test_a_disk_that_fills_up_loses_nothing(experiment, start, tmp_path):
    path, folder = experiment(repeats=10, duration="20s"), tmp_path / "results" / "small"
    assert start("run", path, "--repeats", 1).wait(100) == 0
    before = Store.at(folder).keys
    # No file may grow beyond this: as good as a full disk, for one process and those that it starts.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        process = start("run", path)
        _, err = process.communicate(timeout=100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert process.returncode == 1
    assert err.count("\n") == 1, err
    assert "kept" in err
    kept = Store.at(folder).keys
    assert before < kept
    again = start("run", path)
    _, err = again.communicate(timeout=100)
    assert again.returncode == 0, err
    assert fairlane.open(folder).runs.height == 60


def test_a_store_that_can_only_be_read(run, experiment, as_ordinary_user):
    with tempfile.TemporaryDirectory() as parent:  # tmp_path lies where only root may go
        Path(parent).chmod(0o755)
        path, folder = Path(parent) / "small.toml", Path(parent) / "store"
        path.write_text(experiment(1).read_text())
        assert run(path, "--results", folder).status == 0
        places = [folder, *folder.glob("**/")]
        for place in places:
            place.chmod(0o755 if os.geteuid() == 0 else 0o555)
        try:
            complete = as_ordinary_user(lambda: run(path, "--results", folder).status)
            status, said = as_ordinary_user(lambda: _refusal(run(path, "--results", folder, "--repeats", 3)))
        finally:
            for place in places:
                place.chmod(0o755)
    assert complete == 0  # nothing to write
    assert status == 1
    assert "read-only" in said
    assert said.count("\n") == 1


def _refusal(outcome) -> tuple[int, str]:
    return outcome.status, outcome.err


def test_an_edited_algorithm_is_run_again(run, experiment, tmp_path):
    source = CRASH.replace("*(volatile __u32 *)0", "2")
    (tmp_path / "mine.c").write_text(source)
    path = experiment(1)
    path.write_text(path.read_text().replace('["reno", "bbr"]', '["reno", "mine.c"]'))
    assert "6 computed" in run(path).out
    assert "6 already stored" in run(path).out
    (tmp_path / "mine.c").write_text(source.replace("return 2", "return 4"))
    assert "3 computed, 3 already stored" in run(path).out


def test_a_refused_experiment_leaves_no_folder(run, experiment, tmp_path):
    (tmp_path / "mine.c").write_text("int x")
    path = experiment(1)
    path.write_text(path.read_text().replace('["reno", "bbr"]', '["reno", "mine.c"]'))
    assert run(path).status == 2
    assert not (tmp_path / "results").exists()
