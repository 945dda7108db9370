"""``novikoff weights``."""

from __future__ import annotations

from ..command_options import AsJson, ModelFile, Top
from ..printing import document_of, print_result


def weights(model: ModelFile, top: Top = 20, as_json: AsJson = False) -> None:
    """Show the strongest weights of a model, by feature.

    Example: novikoff weights penguins.novikoff --top 10
    """
    from ...tables.model_weights import model_weights  # when it runs: scikit-learn takes long to import

    result = model_weights(model, top)
    print_result(document_of(result), as_json)
