/** Lets the event loop run: for use between the parts of long synchronous work. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
