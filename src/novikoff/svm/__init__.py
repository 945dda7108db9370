"""Support vector machines whose answers are proved by a duality gap."""
