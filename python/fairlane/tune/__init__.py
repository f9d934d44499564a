"""Searches an algorithm's parameters over a set of networks, for several objectives at once.

    model       the form of a tuning file
    loading     reads and checks one
    evaluation  what a choice of parameters is worth: runs the experiment into the store, and measures
    search      asks Optuna what to try next, trial after trial
    pareto      which choices no other one beats in everything
    report      the table
    picture     the plot

A search is a function of its file: each trial's random numbers come from the file's seed and the trial's number, and
what a trial found comes from the result store. Stopped or killed, the same command repeats the finished trials from the
store in no time, and goes on.
"""
