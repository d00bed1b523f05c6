import { token } from './tokens.ts';

/** Prometheus metrics. Names start with `svc_` and end with their unit. */
export interface Metrics {
  counter(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { inc(labels?: Record<string, string>, by?: number): void };
  histogram(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { observe(labels: Record<string, string>, value: number): void };
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Returns the metrics in the Prometheus text format. */
  render(): Promise<{ text: string; type: string }>;
}

export const Metrics = token<Metrics>('kernel.Metrics');
