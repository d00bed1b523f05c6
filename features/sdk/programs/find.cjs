const { step } = require('svc/sdk');

const names = Object.keys(process.env).filter((name) => /^(SVC_|NODE_|PYTHON)/.test(name));
void step('find', () => 'me').then(() => console.log(names.sort().join(' ')));
