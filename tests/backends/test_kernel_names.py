"""A name of a kernel is not a path: nothing outside the folder of kernels is read, replaced or removed."""

import json

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends.vm import kernels


@pytest.fixture
def victim(tmp_path, monkeypatch):
    """A folder next to that of all kernels, which looks like a kernel."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernels.root().mkdir(parents=True)
    folder = kernels.root().parent / "victim"
    folder.mkdir()
    about = {"release": "6.1", "package": "p", "modules": []}
    (folder / "kernel.json").write_text(json.dumps(about))
    return folder


@pytest.mark.parametrize("name", ["../victim", "..", ".", "a/../../victim", "/tmp", "", ".hidden", "a\nb"])
def test_a_path_is_no_name(victim, name):
    uses = [lambda: kernels.add("debian-12", name)]
    uses += [lambda: kernels.find(name), lambda: kernels.remove(name)] if name else []
    for use in uses:
        with pytest.raises(KernelError, match="cannot be the name of a kernel"):
            use()
    assert (victim / "kernel.json").exists()
