"""Tables of numbers and categories as features."""
