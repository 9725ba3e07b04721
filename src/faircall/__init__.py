"""faircall: a conservative evaluation of LLM tool calls that anyone can re-derive.

     foreign     Example      Prompt      Generation      Parse        Score       Comparison    text
      rows  --> import --> format --> generate --> parse --> score --> compare --> report -->
                importing/  formatting/ generating/  parsing/  scoring/  comparing/  reporting/

Public names are imported on first use, so `import faircall` costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"
