"""The table functions: from a file or a data frame to a model, a proof, a comparison, a score, predictions."""
