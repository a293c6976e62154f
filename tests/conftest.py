"""How hypothesis searches: the same examples in every run, so that a red test is never a matter of luck.

``HYPOTHESIS_PROFILE=long`` searches far more, and elsewhere each time.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
