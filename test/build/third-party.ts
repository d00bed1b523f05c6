import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clone } from '../../features/support/target.ts';

const PACKAGE = { name: 'svc-greeter', version: '1.0.0', type: 'module' };
const COMPILER = {
  ...{ target: 'es2024', lib: ['es2024'], module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
  ...{ resolveJsonModule: true, rewriteRelativeImportExtensions: true, rootDir: '.', outDir: 'dist' },
};

export function must(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

/** Packs a folder with npm and unpacks it as the package of that name, as an install does. */
function install(source: string, modules: string, name: string): void {
  const tarballs = join(modules, '..', `packed-${name}`);
  mkdirSync(tarballs);
  must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs, source], tarballs);
  mkdirSync(join(modules, name));
  const [file] = readdirSync(tarballs);
  must('tar', ['xzf', join(tarballs, file!), '-C', join(modules, name), '--strip-components', '1'], tarballs);
}

/** Installs the built svc and the greeter, which is compiled against it, into a folder. Dependencies are linked. */
export function installGreeter(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  install(join(clone, 'dist'), modules, 'svc');
  for (const name of readdirSync(join(clone, 'node_modules')))
    if (!existsSync(join(modules, name))) symlinkSync(join(clone, 'node_modules', name), join(modules, name));
  const source = join(folder, 'greeter');
  cpSync(join(clone, 'test/plugins/greeter'), source, { recursive: true });
  writeFileSync(join(source, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['**/*.ts'] }));
  writeFileSync(join(source, 'package.json'), JSON.stringify(PACKAGE));
  must(join(modules, '.bin/tsc'), ['-p', '.'], source);
  for (const file of ['plugin.json', 'package.json']) cpSync(join(source, file), join(source, 'dist', file));
  install(join(source, 'dist'), modules, PACKAGE.name);
}
