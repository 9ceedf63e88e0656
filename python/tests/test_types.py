"""Stubs and annotations say what is there."""

import subprocess
import sys
from pathlib import Path

import pytest

import bristle

ROOT = Path(__file__).parents[2]


def checked(folder: Path, *args: str) -> None:
    done = subprocess.run([sys.executable, "-m", *args], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_those_of_the_module():
    pytest.importorskip("mypy")
    # Where the extension is, not the folder of the sources.
    folder = Path(bristle.__file__).parents[1]
    checked(folder, "mypy.stubtest", "--mypy-config-file", str(ROOT / "pyproject.toml"), "bristle._bristle")


def test_annotations_hold():
    pytest.importorskip("mypy")
    checked(ROOT / "python", "mypy", "--config-file", "../pyproject.toml", "bristle")


def test_the_package_is_typed():
    folder = Path(bristle.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_bristle.pyi").exists()
    done = subprocess.run(
        [sys.executable, "python/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
