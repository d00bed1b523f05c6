// Plain JavaScript that every Node since 12 can read, so that an old Node gets a clear message instead of a syntax error.
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  const advice = import.meta.url.includes('/node_modules/')
    ? 'install Node 24 or newer (https://nodejs.org), and run the command again.'
    : 'run npm install in the clone, or install Node 24.';
  console.error(`svc: Node 24 or newer is required, but this is ${process.version}; ${advice}`);
  process.exit(2);
}
void import('./start.mjs').then(({ start }) => start());
