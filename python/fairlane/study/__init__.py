"""Published experiments: a study is data, a folder of `studies/`; rerunning it compares our results with the paper's.

`paper` reads `study.toml` and compares results with the paper's numbers, `rerun` runs the experiments that tables and
figures need, `claims` judges claims, `requirements` finds the runs that they need, `explain` plans those that show why
they do not hold, `joint` judges all variants and testbeds over all claims, `findings` has all of that for a study,
`calibration` fits unknown settings of testbeds, and `linux` is the study whose paper is a recording of Linux.
Experiments are described in `fairlane.scenario`, run in `fairlane.runs`, stored in `fairlane.results` and shown by
`fairlane.show`.
"""
