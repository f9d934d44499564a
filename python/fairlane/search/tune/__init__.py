"""Searches an algorithm's parameters over a set of networks, for several objectives.

    model       the form of a tuning file
    loading     reads and checks one
    evaluation  what a choice of parameters is worth: runs the experiment into the store, and measures
    search      asks Optuna what to try next, trial after trial
    pareto      the Pareto-optimal trials
    report      the table
    picture     the plot

A search is a function of its file: each trial's random numbers come from the file's seed and the trial's number, and
what a trial found comes from the result store. Stopped or killed, the same command repeats the finished trials from the
store, and continues.
"""
