"""The language of the product: words that the field does not use, with the terms that it does.

Checked are the documentation, the prose of the studies, and all sources of the Python package and the crates:
comments, messages, docstrings, `--help`. One line is one finding: file, line, word, remedy.
"""

import re
import subprocess

import pytest

from .conftest import ROOT

INSTEAD = {
    r"besides?": "compared with, next to, versus, in addition to",
    r"once more": "again; of packets: retransmit",
    r"(hold|holds|held|holding) lost": "mark as lost",
    r"whole numbers?": "integer",
    r"is no (text|file|number|metric|integer|C file|Python file|folder)": "is not a ..., is not valid UTF-8",
    r"mend(s|ed|ing)?": "fix, repair",
    r"whoever": "name the subject: the caller, the process, the reader",
    r"nothing but": "only",
    r"so long as": "while",
    r"so (long|much|many)": "a number with a unit; this long, that many",
    r"at most half": "at most 50 %",
    r"places? of (the|a) sweep": "point (of the sweep)",
    r"(by )?(?<![.\"])chance(?!\(| = \")": "random variation, probability, at random",
    r"(our|engine's|paper's own) figures?": "value, metric (a figure is a drawing)",
    r"figures? (count|compared|of the whole|as the engine)": "value, metric (a figure is a drawing)",
    r"partings?": "divergence",
    r"windows? parts?": "windows diverge",
    r"nearness|nearer|how near": "agreement, error, closer",
    r"so near": "within a stated tolerance",
    r"crew": "pool",
    r"(buries|bury|buried)": "reap",
    r"hires?|hired": "spawn",
    r"workshop": "tempdir",
    r"keeper": "recorder",
    r"rulings?": "verdict",
    r"engine_words": "the contract",
    r"in place of": "instead of",
    r"under way": "in flight; of work: in progress",
    r"time-outs?": "timeout",
    r"(no|some|every|any)body": "name the subject",
    r"has spoken|had its say": "exited slow start; after recovery",
    r"the story": "explain directly",
    r"goes by|go by|going by": "depends on, uses",
    r"sends? again|sent again|sending again": "retransmit",
    r"way back": "reverse path; of a window: recovery",
    r"never ends?|without an end|endless": "unbounded, infinite",
    r"(stands?|stood) (behind|beside|beneath)": "is after, follows",
    r"for people|by people": "for users",
    r"change (its|the|their) rights": "change its permissions",
    r"see to the": "check",
    r"(seven|eight|nine) tenths": "a percentage",
    r"no other (one|choice) beats": "Pareto-optimal",
    r"doubles?,? (or|and) reorders?|doubled or reordered": "duplicate or reorder",
    r"holds? no packet": "is smaller than one frame",
    r"(told|tell|tells) apart": "distinguish",
    r"what (came|comes) out": "results",
    r"asked for in vain": "is not available",
    r"(who|which) gets what": "how flows share",
}
"""What is not to come back, and what to write instead; whole words, in either case."""

SCOPE = ["README.md", "docs", "studies", "python/fairlane", "crates", "benchmarks", "algorithms", "calibration"]
SUFFIXES = (".md", ".py", ".rs", ".toml", ".html", ".js", ".c", ".h", ".ipynb")
NOT_OURS = re.compile(
    r"/published/|python/fairlane/renamed\.py|docs/javascripts/|\.min\.js|crates/[\w-]+/tests/data|Cargo\.toml"
)


def sources():
    listed = subprocess.run(["git", "ls-files", *SCOPE], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [path for path in listed.stdout.split() if path.endswith(SUFFIXES) and not NOT_OURS.search(path)]
    assert len(paths) > 500
    return [path for path in paths if (ROOT / path).is_file()]


WORDS = {re.compile(rf"(?<![\w/-])(?:{words})(?![\w-])", re.IGNORECASE): words for words in INSTEAD}
ANY = re.compile("|".join(f"(?:{pattern.pattern})" for pattern in WORDS), re.IGNORECASE)


def findings(path, text):
    if not ANY.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if ANY.search(line):
            for pattern, words in WORDS.items():
                if found := pattern.search(line):
                    yield f"{path}:{number}: '{found[0]}': write {INSTEAD[words]}"


def test_the_language_of_the_product():
    found = [line for path in sources() for line in findings(path, (ROOT / path).read_text(encoding="utf-8"))]
    assert not found, f"{len(found)} findings:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("the real stack beside the simulator", "beside"),
        ("'x' is no whole number; mend it", "mend"),
        ("lost by chance", "chance"),
        ("a packet that was sent once more", "once more"),
    ],
)
def test_a_word_that_came_back_is_found(line, word):
    assert any(f"'{word}'" in one or word in one for one in findings("x.md", line))


def test_field_terms_are_allowed():
    assert not list(findings("x.md", "Packets are retransmitted after a timeout, instead of being recovered."))
