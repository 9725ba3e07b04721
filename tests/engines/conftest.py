"""One Ray cluster on loopback for all tests of this folder, and a backend that its workers find installed."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENTRY_POINTS = "[faircall.backends]\ntold = told_backend:open_told\n"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A cluster of several processes, made as `--engine ray` makes one, and shared."""
    site = tmp_path_factory.mktemp("site")
    (site / "told_backend.py").write_bytes((HERE / "told_backend.py").read_bytes())
    package = site / "told_backend_for_test-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: told-backend-for-test\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)
    paths = [str(site), str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")]
    before = os.environ.copy()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    sys.path.insert(0, str(site))
    from faircall.generating.workers.ray_cluster import connect

    made = connect("local", cpus=3, purpose="a test")
    yield made
    made.close()
    sys.path.remove(str(site))
    os.environ.clear()
    os.environ.update(before)
