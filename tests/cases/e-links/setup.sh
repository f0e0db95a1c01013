ln -s ../elsewhere/aside root/aside
ln -s gone root/nowhere
ln -s ../near root/near/itself
mkdir -p root/node_modules/dep && cp root/near/SKILL.md root/node_modules/dep/SKILL.md
