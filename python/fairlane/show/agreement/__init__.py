"""Pages and tables on the agreement with Linux."""
