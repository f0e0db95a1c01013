## step 1
mv root aside
ln -s one root
## step 2
ln -s two next
mv -T next root
## step 3
mkdir two/added
printf -- "---\nname: added\ndescription: Added behind the link.\n---\n" > two/added/SKILL.md
## step 4
mv two three
## step 5
rm root
mv aside root
