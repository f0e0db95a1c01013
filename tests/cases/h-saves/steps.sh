## step 1
printf -- "---\nname: diary\ndescription: Tuesday.\n---\nTwo.\n" > root/diary/.SKILL.md.swp
mv root/diary/.SKILL.md.swp root/diary/SKILL.md
## step 2
mv root/diary/SKILL.md root/diary/SKILL.md.orig
printf -- "---\nname: diary\ndescription: Wednesday.\n---\nThree.\n" > root/diary/SKILL.md
rm root/diary/SKILL.md.orig
## step 3
: > root/diary/SKILL.md
printf -- "---\nname: diary\n" >> root/diary/SKILL.md
printf -- "description: Thursday.\n---\nFour.\n" >> root/diary/SKILL.md
## step 4
rm root/diary/SKILL.md
printf -- "---\nname: diary\ndescription: Friday.\n---\nFive.\n" > root/diary/SKILL.md
