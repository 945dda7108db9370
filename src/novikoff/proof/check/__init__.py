"""What proves a verdict, and the check of it, without the solver."""
