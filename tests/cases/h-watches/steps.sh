## step 1
for i in $(seq 100); do
    mkdir "root/loom/node_modules/new-$i"
    echo "$i" > "root/loom/threads/new-$i.txt"
done
## step 2
rm -r root/loom
