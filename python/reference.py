"""Writes docs/python-api.md from signatures and docstrings; `--check` fails where it is out of date."""

import inspect
import re
import sys
from pathlib import Path

# The package that is installed, with its extension, not the folder beside this file.
sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent.resolve()]

import bristle  # noqa: E402

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"

GROUPS = {
    "Friction": ["Friction", "Parameter", "States"],
    "Runs": ["run", "runs", "Run", "Runs", "Event", "Machine", "simulate", "Contact"],
    "Many runs": ["sweep", "Sweep"],
    "Rolling contact": ["Patch", "Steady", "Wrenches", "Cases", "Line"],
    "Analysis": ["audit", "linearize", "StateSpace", "loop", "cycle", "map", "compare", "papers", "Papers"],
    "Identification": ["fit", "Fit", "Fitted"],
    "Other tools": ["export"],
    "What there is": ["models", "schema"],
    "Results": ["Report", "Table", "Figure"],
    "Errors": ["Error", "InputError", "RunError", "Fault"],
    "Threads": ["threads", "use_threads"],
}


def signature(thing: object) -> str:
    try:
        text = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(…)"
    text = re.sub(r": ForwardRef\([^)]*\)", "", text)
    text = text.replace("(/, ", "(").replace("(/)", "()")
    text = re.sub(r": '[^']*'", "", text)
    text = re.sub(r" -> .*", "", text)
    text = re.sub(r"<[^>]*>", "…", text)
    return re.sub(r": (?:[^,()=\[\]]|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+(?= =|,|\)|$)", "", text).replace("self, ", "").replace("(self)", "()")


def doc(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    text = re.sub(r":(?:class|func|meth):`([^`]*)`", r"`\1`", text).replace("``", "`")
    # Examples become blocks.
    parts: list[str] = []
    code = False
    for line in text.splitlines():
        starts = line.startswith((">>>", "..."))
        if starts and not code:
            parts.append("```pycon")
            code = True
        if code and not line.strip():
            parts.append("```")
            code = False
        parts.append(line)
    if code:
        parts.append("```")
    return "\n".join(parts)


def members(thing: type) -> list[str]:
    rows = []
    for name, member in inspect.getmembers(thing):
        inherited = any(name in vars(base) for base in thing.__mro__[1:] if base.__module__ != "bristle._bristle")
        # What the package itself calls, and nobody else.
        if name in ("declared", "steady_at", "saved", "restore") or name.startswith("_") or (inherited and name not in vars(thing)):
            continue
        own = inspect.getdoc(member)
        if not own or own.startswith("Alias for field"):
            continue
        first = doc(member).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        shown = f"{name}{signature(member)}" if callable(member) else name
        rows.append(f"| `{shown}` | {first} |")
    return ["| member | what it is |", "|---|---|", *rows, ""] if rows else []


def page() -> str:
    lines = [
        "# Python, name by name",
        "",
        "Made from signatures and docstrings by `python python/reference.py`; the [Python chapter](python.md) has the way in.",
        "",
    ]
    told = [name for names in GROUPS.values() for name in names]
    missing = [name for name in bristle.__all__ if name not in told and not name.startswith("__")]
    assert not missing, f"no group has {missing}"
    for group, names in GROUPS.items():
        lines += [f"## {group}", ""]
        for name in names:
            thing = getattr(bristle, name)
            # What only results are made by is nothing to call.
            made = isinstance(thing, type) and (issubclass(thing, (bristle.Report, bristle.Runs, bristle.States)) or name in ("Table", "Figure"))
            lines += [f"### `{name}{'' if made else signature(thing)}`", "", doc(thing), ""]
            if isinstance(thing, type):
                lines += members(thing)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    made = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == made else f"{PAGE.name} is out of date: python python/reference.py")
    PAGE.write_text(made)
