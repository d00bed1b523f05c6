/** Lets the event loop run. For use between the steps of long synchronous work. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
