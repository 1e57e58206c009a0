import type { ReportedEvent } from "./report.js";
import type { Resolution } from "./resolve.js";

/** What is done in a task. */
export type Work<T> = (task: Task) => T | Promise<T>;

/** Which prompt a task works with, as with resolve. */
export interface TaskOptions {
  label?: string | undefined;
  fallback?: string | undefined;
}

/** A task that an agent works on. */
export class Task {
  /** How good the result is, from 0 to 10. */
  quality: number | undefined;
  #cost: number | undefined;
  #tokens: number | undefined;
  #failed = false;

  private constructor(
    readonly id: string,
    /** What the agent follows. It may be not usable. */
    readonly prompt: Resolution,
  ) {}

  /** spend adds to what the task has cost and to the tokens that it has used. */
  spend({ cost, tokens }: { cost?: number | undefined; tokens?: number | undefined }): void {
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
    if (tokens !== undefined) this.#tokens = (this.#tokens ?? 0) + tokens;
  }

  /** fail marks the task as failed although its work returns. */
  fail(): void {
    this.#failed = true;
  }

  /** run has work done and reports its start and its end. What the work returns or throws is never changed by a report. */
  static async run<T>(
    agent: string,
    id: string,
    prompt: Resolution,
    work: Work<T>,
    report: (event: ReportedEvent) => Promise<unknown>,
  ): Promise<T> {
    const task = new Task(id, prompt);
    const say = async (event_type: string, data: object): Promise<void> => {
      try {
        await report({ agent, event_type, data: { task_id: id, agent_version: prompt.version, ...data } } as ReportedEvent);
      } catch (error) {
        console.error(`orgd: ${event_type} of ${id} is not reported`, error);
      }
    };
    await say("task_started", {});
    const began = performance.now();
    let hasReturned = false;
    try {
      const result = await work(task);
      hasReturned = true;
      return result;
    } finally {
      await say("task_completed", {
        success: hasReturned && !task.#failed,
        duration_seconds: Math.round(performance.now() - began) / 1000,
        cost: task.#cost && Number(task.#cost.toFixed(9)), // 9 decimals are what the service counts
        tokens: task.#tokens,
        quality_score: task.quality,
      });
    }
  }
}
