"""What `import fairlane` offers to scripts and notebooks."""
