"""Genomes: the values of a family's keys. Draws, mutates and crosses them, and turns them into experiments.

A genome has for each gene a number in the family's unit, a value, or None where the key is absent; and for each
schedule a list of entries of the same form. All numbers have two significant digits.
"""

import math
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from fairlane.scenario.diagnostics import Place
from fairlane.scenario.units import time_ns
from fairlane.search.breaks.families import Family, Gene, MapAxis, Schedule, amounts

Genome = dict[str, Any]
REPEATED = "repeated"
"""The end of the key that says whether the entries of a schedule are repeated."""
STEP = 0.15
"""Standard deviation of a mutation, as a share of the range."""
ABSENT = 0.3
"""Share of optional keys that a random genome leaves out."""


def draw(family: Family, random: Random) -> Genome:
    """A random genome."""
    genome: Genome = {}
    for gene in family.file.genes:
        genome[gene.key] = None if _may_be_absent(family, gene) and random.random() < ABSENT else _draw(gene, random)
    for one in family.file.schedules:
        genome[one.key] = [_draw_entry(one, random) for _ in range(random.randint(0, one.most))]
        genome[f"{one.key} {REPEATED}"] = one.repeat and random.random() < 0.5
    return genome


def mutate(family: Family, genome: Genome, random: Random) -> Genome:
    """The genome with one change, or a few."""
    made = dict(genome)
    parts: list[Gene | Schedule] = [*family.file.genes, *family.file.schedules]
    weights = [1 if isinstance(part, Gene) else 2 * len(part.each) for part in parts]
    for part in random.choices(parts, weights, k=1 + int(random.expovariate(0.8))):
        if isinstance(part, Schedule):
            _mutate_schedule(part, made, random)
        elif _may_be_absent(family, part) and random.random() < ABSENT:
            made[part.key] = _draw(part, random) if made[part.key] is None else None
        else:
            made[part.key] = _step(part, made[part.key], random)
    return made


def cross(one: Genome, other: Genome, random: Random) -> Genome:
    """A genome with each key of one of two."""
    return {key: (one if random.random() < 0.5 else other)[key] for key in one}


def simpler(family: Family, genome: Genome) -> Iterator[Genome]:
    """Genomes that are simpler in one respect, large steps first: fewer keys, then rounder numbers."""
    for one in family.file.schedules:
        entries, repeated = genome[one.key], f"{one.key} {REPEATED}"
        if entries:
            yield {**genome, one.key: [], repeated: False}
        if genome[repeated]:
            yield {**genome, repeated: False}
        for index in range(len(entries)):
            yield {**genome, one.key: _without(one, entries, index)}
        for index, entry in enumerate(entries):
            for gene in one.each:
                if gene.key != one.gap and entry.get(gene.key) is not None:
                    yield {**genome, one.key: [*entries[:index], {**entry, gene.key: None}, *entries[index + 1 :]]}
    for gene in family.file.genes:
        plain = genome_value(family, gene)
        if genome[gene.key] != plain:
            yield {**genome, gene.key: plain}
    for gene in family.file.genes:
        for value in _rounder(gene, genome[gene.key]):
            yield {**genome, gene.key: value}
    for one in family.file.schedules:
        entries = genome[one.key]
        for index, entry in enumerate(entries):
            for gene in one.each:
                for value in _rounder(gene, entry.get(gene.key)):
                    yield {**genome, one.key: [*entries[:index], {**entry, gene.key: value}, *entries[index + 1 :]]}


def genome_value(family: Family, gene: Gene) -> Any:
    """The gene's value in the experiment to start from; None if the key is absent."""
    plain = family.plain(gene.key)
    return plain if gene.values is not None or plain is None else amounts([plain])[0]


def keys(family: Family, genome: Genome) -> int:
    """The number of keys in which the experiment differs from the family's, those of each entry counted."""
    changed = sum(bool(genome[gene.key] != genome_value(family, gene)) for gene in family.file.genes)
    lists = (written_entries(family, one, genome) for one in family.file.schedules)
    return changed + sum(len(entry) for entries in lists for entry in entries)


def unusual(family: Family, genome: Genome) -> list[str]:
    """The keys whose values are not common in practice, as far as the family says."""
    found = [
        gene.key for gene in family.file.genes if genome[gene.key] is not None and not gene.is_usual(genome[gene.key])
    ]
    for one in family.file.schedules:
        found += [
            f"{one.key}.{gene.key}"
            for gene in one.each
            if any(entry.get(gene.key) is not None and not gene.is_usual(entry[gene.key]) for entry in genome[one.key])
        ]
    return found


def values(family: Family, genome: Genome) -> Mapping[Place, object]:
    """The settings of the genome in the experiment; a key that stays absent is left out."""
    found: dict[Place, object] = {}
    for gene in family.file.genes:
        if genome[gene.key] is not None and genome[gene.key] != genome_value(family, gene):
            found |= dict.fromkeys(family.places[gene.key], gene.written(genome[gene.key]))
    for one in family.file.schedules:
        if entries := written_entries(family, one, genome):
            found |= dict.fromkeys(family.places[one.key], entries)
    return found


def written_entries(family: Family, schedule: Schedule, genome: Genome) -> list[dict[str, Any]]:
    """The entries of a schedule as a file has them: with times from the start, and repeated until the end."""
    forms = {gene.key: gene for gene in schedule.each}
    entries = [
        entry for entry in genome[schedule.key] if any(v is not None for k, v in entry.items() if k != schedule.gap)
    ]
    if not entries:
        return []
    unit = forms[schedule.gap].low
    assert unit
    end = time_ns(str(family.file.experiment["duration"])) / time_ns(f"1{unit.unit}")
    made: list[dict[str, Any]] = []
    at, index = 0.0, 0
    while index < len(entries) or (genome[f"{schedule.key} {REPEATED}"] and index < 1000):
        entry = entries[index % len(entries)]
        at, index = at + entry[schedule.gap], index + 1
        if at >= end:
            break
        rest = {
            key: forms[key].written(value) for key, value in entry.items() if key != schedule.gap and value is not None
        }
        made.append({schedule.gap: f"{at:.10g}{unit.unit}", **rest})
    return made


def on_axis(family: Family, genome: Genome, axis: MapAxis) -> float:
    """The position of a genome on an axis of the map."""
    found: list[list[float]] = []
    for key, factor in zip(axis.keys, axis.factors or [1.0] * len(axis.keys), strict=True):
        schedule, _, name = key.rpartition(".")
        if schedule in genome:
            given = [entry.get(name) for entry in genome[schedule]]
        else:
            given = [genome[key] if genome.get(key) is not None else family.plain(key)]
            given = given[0] if isinstance(given[0], list) else given
        found.append([1.0] * len(given) if axis.of == "count" else [factor * one for one in amounts(given)])
    every = [value for values in found for value in values]
    if axis.of == "count":
        return float(len(every))
    if not every:
        return axis.low
    return max(every) / max(min(every), 1e-12) if axis.of == "ratio" else every[0]


def _may_be_absent(family: Family, gene: Gene) -> bool:
    return family.plain(gene.key) is None


def _draw(gene: Gene, random: Random) -> Any:
    if gene.values is not None:
        return random.choice(gene.values)
    low, high = _ends(gene)
    return _from_scale(gene, low + (high - low) * random.random())


def _step(gene: Gene, value: Any, random: Random) -> Any:
    if gene.values is not None or value is None or random.random() < 0.2:
        return _draw(gene, random)
    low, high = _ends(gene)
    return _from_scale(gene, _scale(gene, value) + random.gauss(0, STEP * (high - low)))


def _scale(gene: Gene, value: float) -> float:
    return math.log(value) if gene.log else value


def _ends(gene: Gene) -> tuple[float, float]:
    assert gene.low
    assert gene.high
    return _scale(gene, gene.low.number), _scale(gene, gene.high.number)


def _from_scale(gene: Gene, position: float) -> float:
    return gene.rounded(math.exp(position) if gene.log else position)


def _draw_entry(schedule: Schedule, random: Random) -> dict[str, Any]:
    return {
        gene.key: None if gene.key != schedule.gap and random.random() < ABSENT else _draw(gene, random)
        for gene in schedule.each
    }


def _mutate_schedule(schedule: Schedule, genome: Genome, random: Random) -> None:
    """Changes the schedule of a genome: its length, a value, or whether it is repeated."""
    entries, repeated = list(genome[schedule.key]), f"{schedule.key} {REPEATED}"
    kind = random.random()
    if kind < 0.1 and schedule.repeat:
        genome[repeated] = not genome[repeated]
    elif (kind < 0.25 or not entries) and len(entries) < schedule.most:
        entries.insert(random.randint(0, len(entries)), _draw_entry(schedule, random))
    elif kind < 0.4:
        entries = _without(schedule, entries, random.randrange(len(entries)))
    else:
        index, gene = random.randrange(len(entries)), random.choice(schedule.each)
        value = _step(gene, entries[index].get(gene.key), random)
        if gene.key != schedule.gap and random.random() < ABSENT / 2:
            value = None
        entries[index] = {**entries[index], gene.key: value}
    genome[schedule.key] = entries


def _without(schedule: Schedule, entries: list[dict[str, Any]], index: int) -> list[dict[str, Any]]:
    """Without one entry; the next one keeps its time if its range allows that."""
    rest = entries[:index] + entries[index + 1 :]
    if index < len(rest):
        gap = next(gene for gene in schedule.each if gene.key == schedule.gap)
        both = entries[index][schedule.gap] + rest[index][schedule.gap]
        rest[index] = {**rest[index], schedule.gap: gap.rounded(both)}
    return rest


def _rounder(gene: Gene, value: Any) -> list[float]:
    """The value with one digit, if it has two, and the nearest of 1, 2 and 5 with zeros."""
    if value is None or gene.values is not None or not value:
        return []
    size = 10.0 ** math.floor(math.log10(value))
    nearest = min((1, 2, 5, 10), key=lambda digit: abs(math.log(value / (digit * size))))
    found = [gene.rounded(float(f"{one:.1g}")) for one in (nearest * size, value)]
    return [one for one in dict.fromkeys(found) if f"{one:g}".strip("0.") < f"{value:g}".strip("0.") or one != value]
