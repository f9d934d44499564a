"""The form of a tuning file."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from fairlane.experiment.table import Table

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]


class Parameter(Table):
    """A whole number to be chosen."""

    low: int = Field(description="The smallest value.", examples=[1])
    high: int = Field(description="The largest value.", examples=[100])
    step: int = Field(1, ge=1, description="Only every so manieth value.")
    log: bool = Field(False, description="Search in factors, not in steps.")

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}; swap them, or set the parameter in flows")
        if self.log and (self.low < 1 or self.step != 1):
            raise ValueError("log needs low = 1 or more, and no step")
        return self


class Objective(Table):
    """What is wanted of a choice of parameters."""

    metric: str = Field(description="A name that `fairlane table --list` prints.", examples=["goodput_mbps"])
    goal: Literal["highest", "lowest"] = Field(description="Which end is good.", examples=["highest"])
    flows: Literal["tuned", "others", "all"] = Field(
        "tuned", description="Of metrics of a flow: the mean over the flows with the algorithm, the others, or all."
    )


class Tuning(Table):
    """A search."""

    name: Name | None = Field(None, description="The file's name if absent.")
    title: str = ""
    algorithm: str = Field(description="Which flows are tuned: those with this algorithm.", examples=["modest_bbr"])
    trials: int = Field(50, ge=1, le=100_000, description="How many choices to try, the defaults first.")
    seed: int = Field(1, ge=0, lt=2**63, description="Of the search; the runs have the experiment's own seeds.")
    search: Literal["tpe", "nsga2", "random"] = Field("tpe", description="Optuna's sampler.")
    parameters: dict[str, Parameter] = Field(min_length=1, max_length=50, description="What is chosen.")
    objectives: list[Objective] = Field(min_length=1, max_length=4, description="What is wanted.")
    experiment: dict[str, Any] | str = Field(
        description="The networks: an experiment file, or the same as a table.", examples=["networks.toml"]
    )
