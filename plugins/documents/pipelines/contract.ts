export { CONCURRENCY_WAIT } from './contract/concurrency-wait.ts';
