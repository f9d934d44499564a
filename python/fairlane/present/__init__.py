"""What people see: aligned tables, plots in the terminal, plots in files. Takes results, computes nothing."""
