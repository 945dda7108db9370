"""How large margins are: enclosed, never overstated."""
