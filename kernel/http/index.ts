export { createDeliveryRates } from './delivery-rates.ts';
export type { HttpLimits } from './limits.ts';
export { createMetrics } from './metrics.ts';
export { createHttp, type Http } from './server.ts';
