"""All learners as they come against the peers that users would have taken, on many data sets: accuracy and time."""
