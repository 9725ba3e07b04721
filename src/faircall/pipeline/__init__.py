"""The stages of a run, joined: reads artifacts, calls one stage, writes artifacts with a manifest.

foreign     Example      Prompt      Generation      Parse        Score       Comparison    text
 rows  --> import --> format --> generate --> parse --> score --> compare --> report -->
"""
