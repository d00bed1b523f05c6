const { output, waitSignal } = require('svc/sdk');

void waitSignal('late', { timeout: 50 })
  .catch((error) => console.log(String(error)))
  .then(() => waitSignal('meanwhile'))
  .then(() => waitSignal('late'))
  .then((late) => output.set({ late }));
