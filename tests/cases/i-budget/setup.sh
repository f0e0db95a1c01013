for number in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
    mkdir -p "root/job-$number"
    printf -- '---\nname: job-%s\ndescription: Größe und Maß of job %s, then what is left of it when the others are done.\n---\nGo.\n' \
        "$number" "$number" > "root/job-$number/SKILL.md"
done
