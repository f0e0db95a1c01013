## step 1
mkdir project
mkdir project/.agents
mkdir project/.agents/skills
mkdir project/.agents/skills/late
printf -- "---\nname: late\ndescription: Came late.\n---\n" > project/.agents/skills/late/SKILL.md
## step 2
rm -r project/.agents
## step 3
echo "not a folder" > project/.agents
## step 4
rm project/.agents
mv ready project/.agents
## step 5
printf -- "---\nname: early\ndescription: Edited in its place.\n---\nEarly.\n" > project/.agents/skills/early/SKILL.md
