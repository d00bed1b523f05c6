// The floor of requests over HTTP: Restify that reads a JSON body and answers, with nothing behind it. Says its port.
import restify from 'restify';

const server = restify.createServer({
  log: { child: () => server.log, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
});
server.post('/api/v1/orgs/:org/projects/:project/events', async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { type } = JSON.parse(Buffer.concat(chunks).toString());
  response.send(201, { event: 'evt_00000000000000000000000000', type });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
