#!/bin/sh
# Its context comes as JSON.
grep -o '"limit":[0-9]*'
