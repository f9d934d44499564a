"""Output for users: aligned tables, terminal plots, plot files. Takes results, computes nothing."""
