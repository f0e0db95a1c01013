## step 1
mkdir repo/bake
printf -- "---\nname: bake\ndescription: As in this project.\n---\nMix first.\n" > repo/bake/SKILL.md
## step 2
mkdir kit/skills/wash
printf -- "---\nname: wash\ndescription: As in the kit.\n---\n" > kit/skills/wash/SKILL.md
## step 3
mkdir unknown/wash unknown/more
printf -- "---\nname: wash\ndescription: As a stranger says.\n---\n" > unknown/wash/SKILL.md
printf -- "---\nname: more\ndescription: More from a stranger.\n---\n" > unknown/more/SKILL.md
## step 4
rm -r repo/bake
