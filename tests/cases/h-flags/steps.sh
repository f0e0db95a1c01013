## step 1
printf -- "---\nname: chime\ndescription: Rings.\ndisable-model-invocation: true\n---\nRing.\n" > root/chime/SKILL.md
## step 2
printf -- "---\nname: chime\ndescription: Rings.\nuser-invocable: false\n---\nRing.\n" > root/chime/SKILL.md
## step 3
printf -- "---\nname: chime\ndescription: Rings.\ndisable-model-invocation: perhaps\n---\nRing.\n" > root/chime/SKILL.md
