export type { Insights } from './generated/insights.ts';
