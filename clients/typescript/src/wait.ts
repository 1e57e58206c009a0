/** jitter returns a number from low to high. */
export function jitter(low: number, high: number, random: () => number = Math.random): number {
  return low + (high - low) * random();
}

/** within returns what work comes to, undefined if that takes longer than so many seconds. */
export async function within<T>(seconds: number, work: Promise<T>): Promise<T | undefined> {
  const over = new Signal();
  try {
    return await Promise.race([work, over.wait(seconds, true).then(() => undefined)]);
  } finally {
    over.notify();
  }
}

/** Wakes those who wait. */
export class Signal {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of this.#waiting) wake();
  }

  /** wait waits for notify, for at most so many seconds. Unless it holds, the program may end meanwhile. */
  async wait(seconds: number, holds = false): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(seconds, 1e6) * 1000);
      // A number in browsers.
      if (!holds && typeof timer === "object") timer.unref();
      this.#waiting.add(wake);
    });
  }
}

/** pause waits so many seconds, or until an end. */
export async function pause(seconds: number, end: AbortSignal | undefined, holds = false): Promise<void> {
  if (end?.aborted) return;
  const over = new Signal();
  const wake = over.notify.bind(over);
  end?.addEventListener("abort", wake);
  await over.wait(seconds, holds);
  end?.removeEventListener("abort", wake);
}
