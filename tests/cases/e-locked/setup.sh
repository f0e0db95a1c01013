chmod 000 root/shut
