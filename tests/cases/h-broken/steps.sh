## step 1
printf -- "---\nname: ladder\ndescription: Leads nowh" > root/ladder/SKILL.md
## step 2
printf -- "---\nname: ladder\n---\nNo word about what it does.\n" > root/ladder/SKILL.md
## step 3
printf -- "---\nname: ladder\ndescription: Leads down.\n---\nStep.\n" > root/ladder/SKILL.md
## step 4
: > root/ladder/SKILL.md
## step 5
rm root/ladder/SKILL.md
## step 6
mkdir root/newcomer
printf -- "---\nname: newcomer\n" > root/newcomer/SKILL.md
