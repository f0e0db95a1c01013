## step 1
echo Blue. > root/press/notes/ink.md
## step 2
mkdir root/press/build
echo one > root/press/build/one.log
echo two > root/press/build/two.log
## step 3
printf -- "---\nname: press\ndescription: Prints a page.\n---\nPaper, then ink.\n" > root/press/SKILL.md
## step 4
printf -- "---\nname: press\ndescription: Prints a page.\nmetadata:\n  edition: 2\n---\nPaper, then ink.\n" > root/press/SKILL.md
## step 5
touch root/press/SKILL.md root/press
rm -r root/press/build root/press/notes
## step 6
printf -- "---\nname: press\ndescription: Prints two pages.\n---\nPaper, then ink.\n" > root/press/SKILL.md
