"""Results for users: tables with the axes of the sweep as columns, and time series on demand."""
