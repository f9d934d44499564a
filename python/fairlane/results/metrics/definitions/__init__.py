"""The metrics themselves, by subject: a file that is added here is found by itself."""
