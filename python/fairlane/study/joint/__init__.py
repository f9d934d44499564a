"""Joint judgement: every variant of a study and every setting of its testbeds' unknowns over all claims and numbers.

`settings` lists them and the runs that they need, `judging` judges the stored runs, `saved` reads and writes the
result, which each study ships in its folder `joint`, and `inputs` tells whether it is out of date.
"""
