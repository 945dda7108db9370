"""Looking for a proof: directions that lead everywhere, or relations that say there are none."""
