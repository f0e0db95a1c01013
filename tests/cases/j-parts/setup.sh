ln -s ../../other/SKILL.md root/kit/data/way-out
