"""Tests with real engines are run by hand only: they are collected where `-m` names their marker."""


def pytest_collection_modifyitems(config, items):
    wanted = config.getoption("markexpr", default="") or ""
    left_out = [item for item in items if item.get_closest_marker("vllm") and "vllm" not in wanted]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
