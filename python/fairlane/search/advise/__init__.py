"""Which algorithm, queue discipline and buffer size suit a link: runs what is needed and says how sure it is.

What belongs here: the experiment that answers, and what its results allow to say. How the answer is printed is in
`fairlane.cli.advise`.
"""
