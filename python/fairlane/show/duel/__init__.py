"""The outcome of a duel: as text for the terminal, as JSON, and as a plot over time."""
