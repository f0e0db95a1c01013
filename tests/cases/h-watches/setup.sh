mkdir -p root/loom/threads
for i in $(seq 200); do
    mkdir -p "root/loom/node_modules/part-$i/lib" "root/loom/.venv/lib/part-$i"
    echo "$i" > "root/loom/threads/$i.txt"
done
