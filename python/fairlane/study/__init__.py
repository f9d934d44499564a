"""Published experiments: a study is data, a folder of `studies/`; rerunning it compares our results with the paper's.

What belongs here: reading `study.toml` (`study.py`), the paper's numbers (`published.py`), running the experiments that
tables and figures need (`rerun.py`), computing each table and figure from the results (`compare.py`), and that for a
whole study with its claims (`findings.py`). What does not: how experiments are written (`fairlane.scenario`), run
(`fairlane.runs.sweep`) and kept (`fairlane.results.store`), what metrics mean (`fairlane.results.metrics`), and how
things look (`fairlane.show.text`).
"""
