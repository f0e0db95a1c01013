## step 1
mv root/birds root/feathered
## step 2
printf -- "---\ndescription: Asleep by day.\n---\nListen.\n" > root/feathered/deep/owl/SKILL.md
## step 3
mv root/feathered/wren root/feathered/robin
## step 4
mv root/feathered away
## step 5
mv away root/feathered
