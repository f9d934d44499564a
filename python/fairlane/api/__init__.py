"""The functions of `import fairlane`, for scripts and notebooks."""
