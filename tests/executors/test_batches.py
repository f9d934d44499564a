"""Batches of requests, with a function as the cluster."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from fairlane.runs.executors.batches import MOST_TOGETHER, TOGETHER_S, Batches


class Cluster:
    """Answers after a while, and records batches."""

    def __init__(self, run_s: float, tasks: int = 2, behave: Callable[[Sequence[Any]], None] = lambda _: None) -> None:
        self.run_s, self.behave = run_s, behave
        self.sizes: list[int] = []
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.batches = Batches(self.compute, tasks)
        self.answers: dict[str, Any] = {}

    def compute(self, requests: Sequence[Any]) -> list[Any]:
        with self.lock:
            self.sizes.append(len(requests))
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.001)
        self.behave(requests)
        with self.lock:
            self.now -= 1
        return [{"usage": {"wall_s": self.run_s}, "run": request["run"]} for request in requests]

    def work(self, count: int) -> None:
        left = [str(number) for number in range(count)]

        def serve() -> None:
            while True:
                with self.batches.room():
                    try:
                        run = left.pop()
                    except IndexError:
                        return
                    self.answers[run] = self.batches.ask({"run": run})

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(count, self.batches.most))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive(), "everyone is answered"


def answered(cluster: Cluster, count: int) -> bool:
    return {run: answer["run"] for run, answer in cluster.answers.items()} == {str(n): str(n) for n in range(count)}


def test_short_requests_go_together():
    cluster = Cluster(0.001)
    cluster.work(1000)
    assert answered(cluster, 1000)
    assert max(cluster.sizes) == MOST_TOGETHER
    assert len(cluster.sizes) < 250, "the first ones alone, the others mostly by ten"
    assert cluster.most <= 2


def test_long_ones_go_alone_and_few_wait():
    inside = []
    cluster = Cluster(TOGETHER_S, behave=lambda _: inside.append(cluster.batches._inside))
    cluster.work(50)
    assert answered(cluster, 50)
    assert set(cluster.sizes) == {1}
    assert max(inside) <= 2


def test_no_more_go_together_than_fit_into_the_time():
    cluster = Cluster(TOGETHER_S / 3.5)
    cluster.work(200)
    assert answered(cluster, 200)
    assert max(cluster.sizes) == 3


def test_closing_lets_everyone_go():
    closed = threading.Event()
    cluster = Cluster(0.001, behave=lambda _: closed.wait(10))
    threading.Timer(0.1, lambda: (cluster.batches.close(), closed.set())).start()
    cluster.work(100)
    assert len(cluster.answers) == 100
    assert sum(answer is None for answer in cluster.answers.values()) >= 98
    assert cluster.batches.ask({"run": ""}) is None
