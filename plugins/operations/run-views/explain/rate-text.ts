// One way to write a rate, for the options of handlers and of submits.
export { parseRateText } from '../../../events/handlers/explain/rate-text.ts';
