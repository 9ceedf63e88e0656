"""Units for other tools."""

import zipfile

import pytest

import bristle


def test_a_unit_has_the_description_of_the_program(program, tmp_path):
    ours = bristle.export("scenarios/belt.toml", {"run.end": 2}, out=tmp_path / "ours.fmu")
    theirs = tmp_path / "theirs.fmu"
    program("export", "fmu", "scenarios/belt.toml", "--set", "run.end=2", "--out", str(theirs), writes=False)
    with zipfile.ZipFile(ours) as a, zipfile.ZipFile(theirs) as b:
        assert a.namelist() == b.namelist()
        assert a.read("modelDescription.xml") == b.read("modelDescription.xml")
        assert any(name.startswith("binaries/") for name in a.namelist())


def test_an_element_is_exported_with_its_parameters(tmp_path):
    unit = bristle.export(bristle.Friction("lugre", sigma0=1234.5), out=tmp_path / "lugre.fmu", fmi=2)
    with zipfile.ZipFile(unit) as file:
        assert b"1234.5" in file.read("modelDescription.xml")


def test_what_cannot_be_exported_leaves_no_file(tmp_path):
    with pytest.raises(bristle.InputError, match="fmi = 1 must be 2 or 3"):
        bristle.export("lugre", out=tmp_path / "unit.fmu", fmi=1)
    with pytest.raises(bristle.InputError):
        bristle.export("scenarios/line-step.toml", out=tmp_path / "unit.fmu")
    assert not list(tmp_path.iterdir())
