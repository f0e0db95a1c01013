#!/usr/bin/env node
// Starts the program that was built for this platform.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const platform = `${process.platform}-${process.arch}`;
const program = join(__dirname, 'bin', platform, process.platform === 'win32' ? 'repertoire.exe' : 'repertoire');
if (!existsSync(program)) {
  console.error(`error: this package has no program for \`${platform}\`; \`cargo install repertoire-cli\` builds one`);
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`error: cannot start \`${program}\`: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
