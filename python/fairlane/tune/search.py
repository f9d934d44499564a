"""Asks Optuna what to try next, trial after trial.

Each trial has a sampler of its own, seeded by the file's seed and the trial's number: what it proposes depends on
nothing but these and the trials before, so that a search that was stopped goes on as if it had not been.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fairlane.tune.evaluation import Trial, evaluate
from fairlane.tune.loading import LoadedTuning

INSTALL = "pip install 'fairlane[tune]' (or: pip install optuna)"


class OptunaMissing(RuntimeError):
    """The library that searches is not installed."""


def optuna() -> Any:
    """The library. Raises OptunaMissing."""
    try:
        import optuna as library
    except ImportError:
        raise OptunaMissing(f"tuning needs Optuna, which is not installed; install it: {INSTALL}") from None
    library.logging.set_verbosity(library.logging.ERROR)
    return library


def search(
    tuning: LoadedTuning,
    folder: Path,
    jobs: int,
    evaluated: Callable[[LoadedTuning, int, dict[str, int], Path, int], Trial] = evaluate,
) -> Iterator[Trial]:
    """The trials in their order, each as soon as it is done. The first one has the defaults."""
    library = optuna()
    goals = ["maximize" if objective.goal == "highest" else "minimize" for objective in tuning.form.objectives]
    study = library.create_study(directions=goals, sampler=_sampler(library, tuning, 0))
    study.enqueue_trial(_within(tuning))
    known: dict[tuple[int, ...], Trial] = {}
    for number in range(tuning.form.trials):
        study.sampler = _sampler(library, tuning, number)
        asked = study.ask(_distributions(library, tuning))
        chosen = {name: int(asked.params[name]) for name in tuning.form.parameters}
        if number == 0:
            chosen = dict(tuning.defaults)  # even where they lie outside of the ranges
        before = known.get(tuple(chosen.values()))
        if before is None:
            trial = evaluated(tuning, number, chosen, folder, jobs)
        else:
            trial = Trial(number, chosen, before.values, before.failure)
        known.setdefault(tuple(chosen.values()), trial)
        if trial.values:
            study.tell(asked, trial.values)
        else:
            study.tell(asked, state=library.trial.TrialState.FAIL)
        yield trial


def _distributions(library: Any, tuning: LoadedTuning) -> dict[str, Any]:
    return {
        name: library.distributions.IntDistribution(one.low, _last(one), log=one.log, step=one.step)
        for name, one in tuning.form.parameters.items()
    }


def _last(parameter: Any) -> int:
    """The largest value that the steps reach."""
    return int(parameter.low + (parameter.high - parameter.low) // parameter.step * parameter.step)


def _within(tuning: LoadedTuning) -> dict[str, int]:
    """The defaults, or the nearest values that the ranges allow."""
    found = {}
    for name, one in tuning.form.parameters.items():
        steps = round((min(max(tuning.defaults[name], one.low), _last(one)) - one.low) / one.step)
        found[name] = one.low + steps * one.step
    return found


def _sampler(library: Any, tuning: LoadedTuning, number: int) -> Any:
    digest = hashlib.blake2b(f"{tuning.form.seed} {number}".encode(), digest_size=4).digest()
    seed = int.from_bytes(digest, "big")
    kinds = {
        "tpe": library.samplers.TPESampler,
        "nsga2": library.samplers.NSGAIISampler,
        "random": library.samplers.RandomSampler,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", library.exceptions.ExperimentalWarning)
        return kinds[tuning.form.search](seed=seed)
