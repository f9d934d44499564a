"""Presents results: text, plots, comparisons with papers, reports, files of other programs."""
