"""What all tables of an experiment file have in common."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of the file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
