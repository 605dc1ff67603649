"""How Sphinx builds these pages: scripts/docs."""

from arena.version import __version__

project = "Brandeln arena"
copyright = "the contributors, Apache-2.0"
version = release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"{project} {release}"
nitpicky = True
