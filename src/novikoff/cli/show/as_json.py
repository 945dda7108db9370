"""Results as JSON: plain numbers and texts, and nothing that is not a number."""

from __future__ import annotations

import json
from typing import Any

from ...workflow.documents import plain


def dumps(result: dict[str, Any], encoding: str = "utf-8") -> str:
    """JSON, readable; what the encoding lacks is escaped."""
    text = json.dumps(plain(result), indent=2, ensure_ascii=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(plain(result), indent=2)
    return text
