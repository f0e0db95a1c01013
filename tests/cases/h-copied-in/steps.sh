## step 1
cp -R pack root/copy
## step 2
printf -- "---\nname: nested\ndescription: Edited where it was copied to.\n---\nNested.\n" > root/copy/group/inner/nested/SKILL.md
## step 3
for i in $(seq 40); do
    mkdir -p "root/made/$((i % 4))/one-$i"
    printf -- "---\nname: one-$i\ndescription: Number $i.\n---\n" > "root/made/$((i % 4))/one-$i/SKILL.md"
done
## step 4
rm -r root/copy root/made
