"""The lab: a page in the browser on which algorithms can be watched step by step.

Python answers all questions (``answering.answer``); the page only draws what it is told.
"""
