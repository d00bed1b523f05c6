import { step } from 'svc/sdk';

await step('find', () => 'me');
const names = Object.keys(process.env).filter((name) => /^(SVC_|NODE_|PYTHON)/.test(name));
console.log(names.sort().join(' '));
