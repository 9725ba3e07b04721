"""The demo: data, adapters and a stored reference run (see `examples/demo`), and what runs and replays them.

project   lays everything out in a folder, as a user would have it
live      generates on this machine, as much as the time allows
replay    shows the stored reference run, after deriving it again from its raw text
"""
