// Not all of Restify: its index loads parsers that nothing here uses, in two megabytes of every server.
export { default as Router } from 'restify/lib/router.js';
export { default as Server } from 'restify/lib/server.js';
