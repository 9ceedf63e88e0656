"""What the docs show runs."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import bristle


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(bristle.__path__) if m.name != "_bristle"])
def test_examples_of_docstrings(name):
    module = importlib.import_module(f"bristle.{name}")
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert found.failed == 0


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", Path(page).read_text(), re.M | re.S)


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/python.md", "docs/sweeps.md"])
def test_code_on_pages(page, monkeypatch, tmp_path):
    """The blocks of a page are one program."""
    code = blocks(page)
    assert code, f"{page} shows no Python"
    if any("plot()" in block for block in code):
        pytest.importorskip("matplotlib")
    if any("to_control" in block for block in code):
        pytest.importorskip("control")
    exec(compile("\n".join(code), page, "exec"), {})


def test_every_public_name_is_documented():
    for name in bristle.__all__:
        thing = getattr(bristle, name)
        assert name.startswith("__") or thing.__doc__, name
    reference = Path("docs/python-api.md").read_text()
    missing = [name for name in bristle.__all__ if not name.startswith("__") and f"### `{name}" not in reference]
    assert not missing, f"docs/python-api.md lacks {missing}: python python/reference.py"
