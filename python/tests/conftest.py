"""What tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples name files as from the root of the clone."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs the command line; gives its output. `BRISTLE_PROGRAM` names it, which `.ci/run` does."""
    named = os.environ.get("BRISTLE_PROGRAM")
    built = [ROOT / "target" / profile / "bristle" for profile in ("release", "debug")]
    path = named or next((str(p) for p in built if p.exists()), None) or shutil.which("bristle")
    if path is None:
        pytest.skip("no program: cargo build -p bristle-cli")
    folder = tmp_path_factory.mktemp("results")
    path = os.path.abspath(path)

    def run(*args: str, out: Path | None = None, writes: bool = True) -> str:
        more = ["--out", str(out or folder / "-".join(args[:1])), "--overwrite", "--quiet"] if writes else []
        done = subprocess.run([path, *args, *more], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
