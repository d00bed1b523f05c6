// Whether what package-lock.json names is installed. npm runs this file at the end of an installation, to note it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const NODE = 'node_modules/node/bin/node';
const NOTE = 'node_modules/.svc-installed';
const lock = () => createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');

export const isInstalled = () => existsSync(NODE) && existsSync(NOTE) && readFileSync(NOTE, 'utf8') === lock();

if (resolve(process.argv[1] || '') === fileURLToPath(import.meta.url) && existsSync('package-lock.json'))
  writeFileSync(NOTE, lock());
