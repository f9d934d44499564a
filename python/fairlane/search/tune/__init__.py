"""Searches an algorithm's parameters over a set of networks, for several objectives.

A search is a function of its file: each trial's random numbers come from the file's seed and the trial's number, and
what a trial found comes from the result store. Stopped or killed, the same command repeats the finished trials from the
store, and continues.
"""
