"""For all tests: no Hypothesis example is timed, since a shared machine may stop any of them for a while."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
