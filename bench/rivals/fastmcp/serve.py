"""FastMCP's provider of skills over standard input and output: `serve.py extension FOLDER` or `serve.py resources FOLDER`.

The first is the skills extension, which looks at the folder for each request, and which FastMCP calls experimental. The second is
what it serves by default: each `SKILL.md` and a manifest of its files as resources, of the folder as it was at the start.
"""

import sys

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension

shape, folder = sys.argv[1:]
provider = SkillsDirectoryProvider(folder, experimental_skills=shape == "extension")
server = FastMCP("skills", providers=[provider])
if shape == "extension":
    server.add_extension(SkillsExtension(providers=[provider]))
server.run(show_banner=False)
