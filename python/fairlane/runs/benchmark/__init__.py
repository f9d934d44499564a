"""The speed and memory of the simulator: the cases, and their measurement in processes of their own."""
